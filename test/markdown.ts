/** What a document says outside its blocks of code. */
export const proseOf = (markdown: string): string => markdown.replaceAll(/^```.*?^```$/gms, '')

/** Where the links of a document lead that do not leave for the web. */
export const linksIn = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^https?:/.test(link))

/** The headings of a document. */
export const headingsIn = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)

/** What a link can lead to within a document: its headings, as GitHub names them. */
export const anchorsIn = (markdown: string): readonly string[] =>
  headingsIn(markdown).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
