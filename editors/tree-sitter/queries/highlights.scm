(comment) @comment
(definition_keyword) @keyword
(heading) @label
(header name: (_) @type)
(list (identifier) @type)
(statement . (identifier) @function.builtin)
(number) @number
(string) @string
(guard) @attribute
(sign) @operator
[":" "," ";"] @punctuation.delimiter
["[" "]" "<" ">"] @punctuation.bracket
(fence) @string.special
[(program_open) (program_close)] @string.special
"///=" @comment
([(program (identifier) @keyword) (pseudo_code (identifier) @keyword)]
 (#any-of? @keyword "access" "and" "apply" "atomic" "body" "commit" "const" "each" "elements" "else" "extern" "float" "fn" "for" "if" "in" "lanes" "let" "match" "narrow" "not" "nothing" "or" "ordered" "range" "return" "trap" "unknown" "unpredictable" "var" "view"))
([(program (identifier) @type.builtin) (pseudo_code (identifier) @type.builtin)] (#any-of? @type.builtin "bit" "bits"))
([(program (identifier) @function . (sign) @punctuation.bracket) (pseudo_code (identifier) @function . (sign) @punctuation.bracket)]
 (#eq? @punctuation.bracket "(")
 (#not-any-of? @function "and" "bits" "if" "in" "not" "or"))
