// Bundles the browser part of the console into src/console/gen/assets.ts, which the server part serves from memory.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src/console/browser')

/** Bytes of script, style, page and icon, each compressed. */
const BUDGET = 70_000

const NOTICE =
  '/*! Preact, @preact/signals (MIT, Jason Miller and contributors). See docs/NOTICE. */'

const sources = readdirSync(source, { recursive: true })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(join(source, name), 'utf8'))
  .join('\n')

/** Leaves out of the wire's description what no page names: operations, and what is of the server alone. */
const ofPages = {
  name: 'wire of pages',
  setup: ({ onLoad }) =>
    onLoad({ filter: /transport\/wire\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => {
          const [, operation] = /^ {2}(\w+): \{"service"/.exec(line) ?? []
          return operation === undefined || new RegExp(`\\b${operation}\\b`).test(sources)
        })
        .map((line) =>
          line
            .replace(/"service":"[^"]*","name":"[^"]*",("isDeprecated":true,)?"effect":"\w+",/, '')
            .replace(/"number":\d+,(?="kind")|,"message":\w+|,"inQuery":true/g, '')
            .replace(/(WireMessage = \{)"name":"\w+",/, '$1'),
        )
        .join('\n'),
    })),
}

const bundled = async (entry, banner = {}) => {
  const { outputFiles } = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    banner,
    legalComments: 'none',
    plugins: [ofPages],
  })
  return outputFiles[0].text
}

const named = (name, extension, text) =>
  `assets/${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${extension}`

const script = await bundled('main.tsx', { js: NOTICE })
const style = await bundled('style.css')
const icon = readFileSync(join(source, 'icon.svg'), 'utf8')
const { PAGES } = await import(
  `data:text/javascript,${encodeURIComponent((await build({ entryPoints: [join(source, 'page-names.ts')], bundle: true, write: false, format: 'esm' })).outputFiles[0].text)}`
)
const names = {
  script: named('console', 'js', script),
  style: named('console', 'css', style),
  icon: named('icon', 'svg', icon),
}
const page = `<!doctype html>
<html lang="%language%" dir="%direction%">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="settings" content="%settings%">
<title>%title%</title>
<link rel="icon" href="./${names.icon}">
<link rel="stylesheet" href="./${names.style}">
%stylesheet%<script type="module" src="./${names.script}"></script>
</head>
<body><div id="root"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`
const file = (type, text) => ({ type, gzip: gzipSync(text, { level: 9 }).toString('base64') })
const files = {
  [names.script]: file('text/javascript; charset=utf-8', script),
  [names.style]: file('text/css; charset=utf-8', style),
  [names.icon]: file('image/svg+xml', icon),
}
const size = [page, script, style, icon].reduce(
  (sum, text) => sum + gzipSync(text, { level: 9 }).length,
  0,
)
if (process.argv.includes('--size')) console.log(`console assets ${size} of ${BUDGET} bytes`)
if (size > BUDGET) {
  console.error(`The assets of the console are too big: ${size} of ${BUDGET} bytes`)
  process.exitCode = 1
}
mkdirSync(join(root, 'src/console/gen'), { recursive: true })
const assets = join(root, 'src/console/gen/assets.ts')
const text = `// Written by .ci/console-assets.mjs.
/** A file that the page loads. */
export interface AssetFile {
  readonly type: string
  /** Compressed, in Base64. */
  readonly gzip: string
}
/** By the path below the prefix. */
export const files: Readonly<Record<string, AssetFile>> = ${JSON.stringify(files)}
/** Paths below the prefix at which the page is. */
export const PAGES: readonly string[] = ${JSON.stringify(PAGES)}
export const page = ${JSON.stringify(page)}
`
// Tests may read it.
if (!existsSync(assets) || readFileSync(assets, 'utf8') !== text) writeFileSync(assets, text)
