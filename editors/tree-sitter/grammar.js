// The layout of specifications in isadl: definitions, sections, statements, prose. What statements mean is left to the
// compiler; here they are rows of words, numbers and signs, so that every text has a tree.

module.exports = grammar({
    name: "isadl",

    // Lines of prose, code fences within it, where prose ends, and where programs begin and end: src/scanner.c.
    externals: ($) => [$.prose_line, $.fence, $.program_open, $.program_close, $._line_end],

    extras: ($) => [/\s/, $.comment, $.pseudo_code],

    word: ($) => $.identifier,

    rules: {
        file: ($) => repeat($.definition),

        definition: ($) => prec.right(seq($.header, repeat($.statement), repeat($.section))),

        header: ($) =>
            prec.right(seq(
                field("keyword", $.definition_keyword),
                optional(field("name", choice($.identifier, $.pattern))),
                optional($.size),
                optional(seq(":", $.list, repeat(seq("x", $.list)), optional(seq("except", $.identifier, repeat(seq(",", $.identifier)))))),
                optional($.guard),
                optional(";"),
            )),

        size: ($) => seq("<", $.number, optional(seq(",", $.number)), ">"),

        list: ($) => seq("[", optional(seq($.identifier, repeat(seq(",", $.identifier)))), "]"),

        section: ($) =>
            prec.right(choice(
                seq(field("heading", alias($._statement_heading, $.heading)), repeat($.statement)),
                seq(field("heading", alias("__OperandInfo", $.heading)), repeat(choice($.statement, $.prose_line, $.fence))),
                seq(field("heading", alias($._prose_heading, $.heading)), repeat(choice($.prose_line, $.fence))),
                seq(field("heading", alias("__Semantics", $.heading)), repeat(choice($.prose_line, $.fence, $.program))),
            )),

        _statement_heading: (_) => choice("__Encoding", "__Exception"),

        _prose_heading: (_) =>
            choice("__Syntax", "__Description", "__ModifierInfo", "__Examples", "__Simulation"),

        // What instructions do, as words and signs: a fence tagged `isa`, and a line of a table. Such a line may also be prose.
        program: ($) => seq($.program_open, repeat($._program_item), $.program_close),

        pseudo_code: ($) => seq("///=", repeat($._program_item), $._line_end),

        _program_item: ($) =>
            choice($.identifier, $.number, $.string, $.guard, $.sign, ":", ",", ";", "<", ">", "[", "]", alias("\"", $.sign)),

        statement: ($) => seq($._item, repeat($._item), ";"),

        _item: ($) => choice($.identifier, $.number, $.string, $.guard, $.sign, ":", ",", "<", ">", "[", "]", "x", "except"),

        definition_keyword: (_) => token(prec(2, /__Def[A-Za-z]*/)),

        identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,

        // The names of forms, with slots for the parts that vary.
        pattern: (_) => token(/[A-Za-z_0-9]*(\{[0-9]+\}[A-Za-z_0-9]*)+/),

        number: (_) => token(/0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?[A-Za-z0-9_]*/),

        string: (_) => /"[^"\n]*"/,

        guard: (_) => token(prec(1, /@\s*\[[^\]\n]*\]/)),

        sign: (_) => token(/[^\sA-Za-z0-9_";:,<>\[\]]/),

        // Not the beginning of pseudo code.
        comment: (_) => token(/\/\/([^\/\n][^\n]*|\/([^=\n][^\n]*)?)?/),
    },
});
