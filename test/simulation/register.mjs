// Lets Node.js run the sources as they are: an import of `./x.js` finds `./x.ts`. With a name in PLANTED, that bug of
// planted.ts is put into its source.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PLANTED, PLANTED_IN_POSTGRES, PLANTED_IN_WORLDS } from './planted.ts'

const planted = [...PLANTED, ...PLANTED_IN_POSTGRES, ...PLANTED_IN_WORLDS].find(
  ({ name }) => name === process.env.PLANTED,
)

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      if (existsSync(fileURLToPath(source))) return next(source.href, context)
    }
    return next(specifier, context)
  },
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!planted || !url.endsWith(`/src/${planted.file}`)) return loaded
    const source = String(loaded.source)
    if (!source.includes(planted.from)) throw new Error(`${planted.file} has no "${planted.from}"`)
    return { ...loaded, source: source.replace(planted.from, () => planted.to) }
  },
})
