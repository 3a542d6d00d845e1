// The guides as docs/README.md lists them.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

interface Guide {
  readonly title: string
  /** Its path in the repository. */
  readonly file: string
  readonly about: string
}

/** Its headings, each with the guides of its table. */
export const guideGroups = (): readonly { name: string; guides: readonly Guide[] }[] =>
  readFileSync(join(root, 'docs/README.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      name: section.slice(0, section.indexOf('\n')),
      guides: [...section.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.+?) \|$/gm)].map(
        ([, title = '', file = '', about = '']) => ({ title, file: `docs/${file}`, about }),
      ),
    }))
    .filter(({ guides }) => guides.length > 0)
