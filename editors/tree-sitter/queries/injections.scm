((prose_line) @injection.content
 (#set! injection.language "markdown_inline"))
