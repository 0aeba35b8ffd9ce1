//! Messages of the editor, and answers.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types as lsp;
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compiled::Compiled;
use crate::index::Index;
use crate::worker::{Job, Report};
use crate::workspace::Workspace;
use crate::{colours, complete, findings, hover, navigate, outline, text};

/// The instruction sets that compiled last.
pub(crate) type CompiledSets = Arc<Mutex<HashMap<PathBuf, Arc<Compiled>>>>;

/// The capabilities of the server.
pub(crate) fn capabilities() -> lsp::ServerCapabilities {
    let sync = lsp::TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
        ..Default::default()
    };
    let tokens = lsp::SemanticTokensOptions {
        legend: lsp::SemanticTokensLegend {
            token_types: colours::LEGEND.to_vec(),
            token_modifiers: Vec::new(),
        },
        full: Some(lsp::SemanticTokensFullOptions::Bool(true)),
        ..Default::default()
    };
    lsp::ServerCapabilities {
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        definition_provider: Some(lsp::OneOf::Left(true)),
        references_provider: Some(lsp::OneOf::Left(true)),
        document_highlight_provider: Some(lsp::OneOf::Left(true)),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(
                ["_", "<", "[", "=", " ", ",", ":"].map(String::from).to_vec(),
            ),
            ..Default::default()
        }),
        document_symbol_provider: Some(lsp::OneOf::Left(true)),
        workspace_symbol_provider: Some(lsp::OneOf::Left(true)),
        folding_range_provider: Some(lsp::FoldingRangeProviderCapability::Simple(true)),
        document_formatting_provider: Some(lsp::OneOf::Left(true)),
        semantic_tokens_provider: Some(tokens.into()),
        inlay_hint_provider: Some(lsp::OneOf::Left(true)),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: None }),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Simple(true)),
        ..Default::default()
    }
}

/// Sends the findings to the editor, and keeps the compiled result.
pub(crate) fn publish(report: Report, known: &CompiledSets, out: &impl Fn(Message)) {
    // Before the findings: an editor that has them asks for more.
    let before = report.compiled.map(|compiled| {
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(report.set, compiled)
    });
    for (path, diagnostics) in report.findings {
        let Some(uri) = text::uri(&path) else { continue };
        let params = lsp::PublishDiagnosticsParams { uri, diagnostics, version: None };
        let method = notification::PublishDiagnostics::METHOD.to_string();
        out(Message::Notification(Notification::new(method, params)));
    }
    // The previous result is large: no one waits until it is freed.
    drop(before);
}

/// The state between messages.
pub(crate) struct Server<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) workspace: Workspace,
    pub(crate) jobs: Sender<Job>,
    pub(crate) known: CompiledSets,
    /// The names of the instruction set that was looked at last; forgotten with every change.
    pub(crate) index: Option<(PathBuf, Rc<Index>)>,
}

/// Why a request has no answer.
struct Refusal(ErrorCode, String);

type Answer<T> = Result<T, Refusal>;

impl Server<'_> {
    /// Answers messages until the editor ends the session. An editor that ends it has to ask for that before.
    pub(crate) fn run(mut self) -> Result<(), &'static str> {
        let mut is_shut = false;
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    let is_last = request.method == request::Shutdown::METHOD;
                    let response = match (is_shut, is_last) {
                        (true, _) => after_shutdown(request.id),
                        (false, true) => Response::new_ok(request.id, ()),
                        (false, false) => self.request(request),
                    };
                    is_shut |= is_last;
                    // The editor may be gone.
                    let _ = self.connection.sender.send(Message::Response(response));
                }
                Message::Notification(note) if note.method == notification::Exit::METHOD => {
                    let early = "the session was ended by `exit` without `shutdown`";
                    return if is_shut { Ok(()) } else { Err(early) };
                }
                Message::Notification(note) if !is_shut => self.notification(note),
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn notification(&mut self, note: Notification) {
        match note.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Some(params) = read::<lsp::DidOpenTextDocumentParams>(note) else { return };
                let Some(path) = text::path(&params.text_document.uri) else { return };
                self.workspace.set(path.clone(), params.text_document.text);
                self.compile(&path);
            }
            notification::DidChangeTextDocument::METHOD => {
                let Some(params) = read::<lsp::DidChangeTextDocumentParams>(note) else { return };
                let Some(path) = text::path(&params.text_document.uri) else { return };
                self.change(&path, params.content_changes);
                self.compile(&path);
            }
            notification::DidCloseTextDocument::METHOD => {
                let Some(params) = read::<lsp::DidCloseTextDocumentParams>(note) else { return };
                let Some(path) = text::path(&params.text_document.uri) else { return };
                self.workspace.close(&path);
                self.compile(&path);
            }
            notification::DidChangeWatchedFiles::METHOD => {
                let Some(params) = read::<lsp::DidChangeWatchedFilesParams>(note) else { return };
                for path in params.changes.iter().filter_map(|change| text::path(&change.uri)) {
                    self.workspace.changed(&path);
                    self.compile(&path);
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, path: &Path, changes: Vec<lsp::TextDocumentContentChangeEvent>) {
        for change in changes {
            let changed = match (change.range, self.workspace.text(path)) {
                (Some(range), Some(old)) => {
                    let (start, end) = (old.offset(range.start), old.offset(range.end));
                    let mut text = old.text.clone();
                    text.replace_range(start..end.max(start), &change.text);
                    text
                }
                _ => change.text,
            };
            self.workspace.set(path.to_path_buf(), changed);
        }
    }

    /// Has the instruction set of a file compiled.
    fn compile(&mut self, path: &Path) {
        self.index = None;
        let set = self.workspace.set_of(path);
        let snapshot = self.workspace.snapshot(&set);
        // The compiler's thread ends with the session.
        let _ = self.jobs.send(Job { set, snapshot });
    }

    fn request(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        match self.answer(request) {
            Ok(result) => Response::new_ok(id, result),
            Err(Refusal(code, message)) => Response::new_err(id, code as i32, message),
        }
    }

    fn answer(&mut self, request: Request) -> Answer<serde_json::Value> {
        let id = request.id.clone();
        match request.method.as_str() {
            request::HoverRequest::METHOD => self.reply(request, Self::hover),
            request::GotoDefinition::METHOD => self.reply(request, Self::definition),
            request::References::METHOD => self.reply(request, Self::references),
            request::DocumentHighlightRequest::METHOD => self.reply(request, Self::highlights),
            request::PrepareRenameRequest::METHOD => self.reply(request, Self::prepare_rename),
            request::Rename::METHOD => self.reply(request, Self::rename),
            request::Completion::METHOD => self.reply(request, Self::complete),
            request::DocumentSymbolRequest::METHOD => self.reply(request, Self::symbols),
            request::WorkspaceSymbolRequest::METHOD => self.reply(request, Self::search),
            request::FoldingRangeRequest::METHOD => self.reply(request, Self::folds),
            request::Formatting::METHOD => self.reply(request, Self::layout),
            request::SemanticTokensFullRequest::METHOD => self.reply(request, Self::tokens),
            request::InlayHintRequest::METHOD => self.reply(request, Self::hints),
            request::CodeLensRequest::METHOD => self.reply(request, Self::lenses),
            request::CodeActionRequest::METHOD => self.reply(request, Self::actions),
            method => {
                let message = format!("request {id}: `{method}` is not supported");
                Err(Refusal(ErrorCode::MethodNotFound, message))
            }
        }
    }

    fn reply<P: DeserializeOwned, T: Serialize>(
        &mut self,
        request: Request,
        answer: impl FnOnce(&mut Self, P) -> Answer<T>,
    ) -> Answer<serde_json::Value> {
        let params = serde_json::from_value(request.params)
            .map_err(|error| Refusal(ErrorCode::InvalidParams, error.to_string()))?;
        serde_json::to_value(answer(self, params)?)
            .map_err(|error| Refusal(ErrorCode::InternalError, error.to_string()))
    }

    /// The names of the instruction set of a file, and the number of the file.
    fn file(&mut self, uri: &lsp::Uri) -> Answer<(Rc<Index>, usize, PathBuf)> {
        let unknown =
            || Refusal(ErrorCode::InvalidParams, format!("{}: no such file", uri.as_str()));
        let path = text::path(uri).ok_or_else(unknown)?;
        let set = self.workspace.set_of(&path);
        let index = self.index_of(&set);
        let file = index.files.iter().position(|file| file.path == path).ok_or_else(unknown)?;
        Ok((index, file, set))
    }

    fn index_of(&mut self, set: &Path) -> Rc<Index> {
        if let Some((_, index)) = self.index.as_ref().filter(|(known, _)| known == set) {
            return Rc::clone(index);
        }
        let snapshot = self.workspace.snapshot(set);
        let index = Rc::new(self.workspace.index(&snapshot));
        self.index = Some((set.to_path_buf(), Rc::clone(&index)));
        index
    }

    /// The file, and the byte at a position in it.
    fn place(
        &mut self,
        at: &lsp::TextDocumentPositionParams,
    ) -> Answer<(Rc<Index>, usize, usize, PathBuf)> {
        let (index, file, set) = self.file(&at.text_document.uri)?;
        let offset = index.files[file].text.offset(at.position);
        Ok((index, file, offset, set))
    }

    fn compiled(&self, set: &Path) -> Option<Arc<Compiled>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(set).cloned()
    }

    fn hover(&mut self, params: lsp::HoverParams) -> Answer<Option<lsp::Hover>> {
        let (index, file, at, set) = self.place(&params.text_document_position_params)?;
        Ok(hover::hover(&index, self.compiled(&set).as_deref(), (file, at)))
    }

    fn definition(&mut self, params: lsp::GotoDefinitionParams) -> Answer<Vec<lsp::Location>> {
        let (index, file, at, _) = self.place(&params.text_document_position_params)?;
        Ok(navigate::definition(&index, file, at))
    }

    fn references(&mut self, params: lsp::ReferenceParams) -> Answer<Vec<lsp::Location>> {
        let (index, file, at, _) = self.place(&params.text_document_position)?;
        Ok(navigate::references(&index, (file, at), params.context.include_declaration))
    }

    fn highlights(
        &mut self,
        params: lsp::DocumentHighlightParams,
    ) -> Answer<Vec<lsp::DocumentHighlight>> {
        let (index, file, at, _) = self.place(&params.text_document_position_params)?;
        Ok(navigate::highlights(&index, file, at))
    }

    fn prepare_rename(&mut self, params: lsp::TextDocumentPositionParams) -> Answer<lsp::Range> {
        let (index, file, at, _) = self.place(&params)?;
        let place = navigate::renamable(&index, file, at).map_err(refused)?;
        Ok(index.files[file].text.range(place.start..place.end))
    }

    fn rename(&mut self, params: lsp::RenameParams) -> Answer<lsp::WorkspaceEdit> {
        let (index, file, at, _) = self.place(&params.text_document_position)?;
        navigate::rename(&index, (file, at), &params.new_name).map_err(refused)
    }

    fn complete(&mut self, params: lsp::CompletionParams) -> Answer<Vec<lsp::CompletionItem>> {
        let (index, file, at, _) = self.place(&params.text_document_position)?;
        Ok(complete::complete(&index, file, at))
    }

    fn symbols(&mut self, params: lsp::DocumentSymbolParams) -> Answer<Vec<lsp::DocumentSymbol>> {
        let (index, file, _) = self.file(&params.text_document.uri)?;
        Ok(outline::symbols(&index, file))
    }

    fn search(
        &mut self,
        params: lsp::WorkspaceSymbolParams,
    ) -> Answer<Vec<lsp::SymbolInformation>> {
        let open = self.workspace.open_files().map(|path| self.workspace.set_of(path));
        let mut sets: Vec<PathBuf> = open.collect();
        sets.sort();
        sets.dedup();
        let found = sets.iter().flat_map(|set| outline::search(&self.index_of(set), &params.query));
        Ok(found.collect())
    }

    fn folds(&mut self, params: lsp::FoldingRangeParams) -> Answer<Vec<lsp::FoldingRange>> {
        let (index, file, _) = self.file(&params.text_document.uri)?;
        Ok(outline::folds(&index, file))
    }

    fn layout(
        &mut self,
        params: lsp::DocumentFormattingParams,
    ) -> Answer<Option<Vec<lsp::TextEdit>>> {
        let (index, file, _) = self.file(&params.text_document.uri)?;
        Ok(outline::layout(&index, file))
    }

    fn tokens(&mut self, params: lsp::SemanticTokensParams) -> Answer<lsp::SemanticTokens> {
        let (index, file, _) = self.file(&params.text_document.uri)?;
        Ok(lsp::SemanticTokens { result_id: None, data: colours::tokens(&index, file) })
    }

    fn hints(&mut self, params: lsp::InlayHintParams) -> Answer<Vec<lsp::InlayHint>> {
        let (index, file, set) = self.file(&params.text_document.uri)?;
        let text = &index.files[file].text;
        let within = text.offset(params.range.start)..text.offset(params.range.end);
        Ok(hover::hints(&index, self.compiled(&set).as_deref(), file, within))
    }

    fn lenses(&mut self, params: lsp::CodeLensParams) -> Answer<Vec<lsp::CodeLens>> {
        let (index, file, set) = self.file(&params.text_document.uri)?;
        let compiled = self.compiled(&set);
        Ok(compiled.map_or(Vec::new(), |compiled| hover::lenses(&index, &compiled, file)))
    }

    fn actions(&mut self, params: lsp::CodeActionParams) -> Answer<Vec<lsp::CodeActionOrCommand>> {
        Ok(findings::actions(&params.text_document.uri, &params.context.diagnostics))
    }
}

/// The answer to requests after the shutdown request.
fn after_shutdown(id: RequestId) -> Response {
    let message = "the session was shut down".to_string();
    Response::new_err(id, ErrorCode::InvalidRequest as i32, message)
}

fn refused(message: String) -> Refusal {
    Refusal(ErrorCode::RequestFailed, message)
}

/// The parameters of a message; `None` if they violate the protocol.
fn read<P: DeserializeOwned>(note: Notification) -> Option<P> {
    serde_json::from_value(note.params).ok()
}

/// A request to look at lenses and hints again.
pub(crate) fn refreshes() -> [Message; 2] {
    [request::CodeLensRefresh::METHOD, request::InlayHintRefreshRequest::METHOD].map(|method| {
        let id = RequestId::from(method.to_string());
        Message::Request(Request::new(id, method.to_string(), ()))
    })
}
