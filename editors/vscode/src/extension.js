// Starts `isadl lsp` for files of the language; everything else is the server's.

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const command = workspace.getConfiguration("isadl").get("path", "isadl");
  const files = workspace.createFileSystemWatcher("**/{*.isa,opcodes.lock}");
  client = new LanguageClient(
    "isadl",
    "isadl",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ scheme: "file", language: "isadl" }],
      synchronize: { fileEvents: files },
    },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `\`${command} lsp\` does not start (${error.message}). Install it with \`cargo install isadl-cli\`, or name it in the setting isadl.path.`,
    );
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
