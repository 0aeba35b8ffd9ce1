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
