// The documentation as a site, in reports/site: `npm run docs`. The pages are those of docs, each example is a page too,
// and the reference is made of the docstrings. A link to nothing ends it.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { guideGroups } from '../guides.ts'

const root = resolve(import.meta.dirname, '../..')
const source = join(root, 'reports/site-source')
const bin = (name) => join(import.meta.dirname, 'node_modules/.bin', name)
const read = (file) => readFileSync(join(root, file), 'utf8')

/** Where a page of the repository is on the site. */
const placeOf = (file) => {
  if (file === 'README.md') return 'index.md'
  const place = file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
  return place === 'index.md' ? 'guides/index.md' : place
}

const filesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...filesIn('docs').filter((file) => file.endsWith('.md') && !file.startsWith('docs/skills/')),
]
const examples = filesIn('docs/examples').filter((file) => !file.endsWith('.md'))
const folders = [...new Set(examples.map((file) => dirname(file)))]

/** The place of what a link in a document leads to; the link itself when it leads elsewhere. */
const targetOf = (document, link) => {
  if (/^(\w+:|#)/.test(link)) return link
  const [path, anchor] = link.split('#')
  const file = relative(root, resolve(root, dirname(document), path))
  const place = folders.includes(file)
    ? `${placeOf(file)}/index.md`
    : examples.includes(file)
      ? `${placeOf(file)}.md`
      : file === 'LICENSE'
        ? 'license.md'
        : placeOf(file)
  return `/${place}${anchor ? `#${anchor}` : ''}`
}

const write = (place, text) => {
  mkdirSync(dirname(join(source, place)), { recursive: true })
  writeFileSync(join(source, place), text)
}

rmSync(source, { recursive: true, force: true })
for (const document of documents) {
  const pages = read(document).replaceAll(
    /(\]\()([^)\s]+)(\))/g,
    (_, before, link, after) => before + targetOf(document, link) + after,
  )
  write(placeOf(document), pages)
}
for (const file of examples) {
  const language = extname(file).slice(1) || 'txt'
  write(
    `${placeOf(file)}.md`,
    `# ${relative('docs/examples', file)}\n\n\`\`\`\`${language}\n${read(file)}\`\`\`\`\n`,
  )
}
for (const folder of folders) {
  const links = examples
    .filter((file) => file.startsWith(`${folder}/`))
    .map((file) => `- [${relative(folder, file)}](/${placeOf(file)}.md)`)
  write(`${placeOf(folder)}/index.md`, `# Examples\n\n${links.join('\n')}\n`)
}
write('license.md', `# Licence\n\n${read('LICENSE')}`)
cpSync(join(root, 'docs/guides/console'), join(source, 'guides/console'), { recursive: true })

const sidebar = [
  ...guideGroups().map(({ name, guides }) => ({
    text: name,
    collapsed: false,
    items: guides.map(({ title, file }) => ({ text: title, link: `/${placeOf(file)}` })),
  })),
  {
    text: 'More',
    items: [
      { text: 'Concepts', link: '/concepts.md' },
      { text: 'Examples', link: '/examples/index.md' },
      { text: 'Decisions', link: '/decisions/index.md' },
      { text: 'Changelog', link: '/CHANGELOG.md' },
    ],
  },
]
const config = {
  title: 'claviger',
  description: 'Identity and access management as a domain library for TypeScript',
  // Without it, browsers ask for an icon that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  outDir: join(root, 'reports/site'),
  cacheDir: join(root, 'reports/site-cache'),
  srcExclude: ['public/**'],
  cleanUrls: true,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar,
    nav: [
      { text: 'Guides', link: '/guides/' },
      { text: 'Reference', link: '/reference/index.html', target: '_self' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
  },
}
write('.vitepress/config.mjs', `export default ${JSON.stringify(config, undefined, 2)}\n`)

const run = (command, ...parameters) => {
  const { status } = spawnSync(command, parameters, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
run(
  bin('typedoc'),
  '--options',
  join(import.meta.dirname, 'typedoc.mjs'),
  '--out',
  join(source, 'public/reference'),
)
run(bin('vitepress'), 'build', source)
console.log(
  'The site is in reports/site: npm exec --prefix .ci/site vitepress preview reports/site-source',
)
