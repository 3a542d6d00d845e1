interface OddPhrase {
  readonly line: number
  readonly phrase: string
  readonly instead: string
}

/**
 * Phrases that a reader has to decode, each with what to write instead. A space also matches a line break; `^` is the
 * start of a sentence, a cell or an item.
 */
const PHRASES: readonly (readonly [pattern: string, instead: string])[] = [
  // Words that nobody searches for.
  ['whoever|whosoever', 'everybody who, anybody who, users who'],
  ['beneath', 'under, below, in'],
  ['whence|whereupon|thereof|thereby|therein|thereupon|herein|hitherto|henceforth', 'a plain word'],
  ['for ever|for good', 'forever, indefinitely'],
  ['from now on|from then on', 'afterwards, after that'],
  ['in place of', 'instead of'],
  ['but for|save for', 'except for'],
  ['likewise', 'also, in the same way'],
  ['by itself|by themselves|of its own accord', 'automatically, alone'],
  ['at hand', 'the name of the thing'],
  ['anew', 'again'],
  ['stands? (?:beside|behind|before)', 'is next to, is in'],
  ['all but', 'all except'],
  ['none but|nothing but', 'only'],
  ['nowise|in no wise', 'not'],
  ['in good order', 'cleanly'],
  ['so to speak|as it were', 'nothing'],
  ['were it|be it', 'if it is'],
  // Phrases that hide who does what.
  ['(?:is|are|was|were|be|being) told', 'gets, sees, is notified'],
  ['tells? (?:of|apart)', 'reports, distinguishes'],
  ['what came of', 'the result of'],
  ['goes? by', 'follows, uses'],
  ['goes? on (?:with|from|where|by|as|in)', 'continues'],
  ['is no (?:field|address|object|error|refusal|member|number)', 'is not a …, unknown …'],
  ['(?:of|by) which', 'a sentence of its own'],
  ['what is none', 'the noun'],
  ['(?:is|are|as|than|but|and|or|with|by|to|from) (?:that|those) of', 'the noun again'],
  ['is no other|is none', 'a "not"'],
  // Inverted sentences.
  ['^(?:What|Who|Whom|Whose) [^.?!:;|]*\\.', 'subject, verb, object'],
  ['^(?:Of|By|To) (?:a|an|the|each|one|what|this) [^.,;:?|]*,', 'subject, verb, object'],
  ['^(?:Nor|Neither (?:is|does)) ', 'subject, verb, object'],
]

const COMPILED = PHRASES.map(([pattern, instead]) => {
  const spaced = pattern.replaceAll(' ', '\\s+')
  const source = spaced.startsWith('^')
    ? `(?<=(?:^|[.?!:|]\\s|\\n\\n|[-*>]\\s|\\d\\.\\s)\\**)${spaced.slice(1)}`
    : `(?<![\\w-])(?:${spaced})(?![\\w-])`
  return { pattern: new RegExp(source, spaced.startsWith('^') ? 'g' : 'gi'), instead }
})

/** The odd phrases of a text, by line. */
export const oddPhrasesIn = (prose: string): readonly OddPhrase[] =>
  COMPILED.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ index, 0: found }) => ({
      line: prose.slice(0, index).split('\n').length,
      phrase: found.replaceAll(/\s+/g, ' '),
      instead,
    })),
  )
