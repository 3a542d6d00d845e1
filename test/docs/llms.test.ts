import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { guideGroups } from '../../.ci/guides.js'

// What agents read. `npx vitest run test/docs/llms.test.ts -u` writes it anew.
const root = new URL('../../', import.meta.url)
const read = (file: string) => readFile(new URL(file, root), 'utf8')

const SUMMARY =
  'Identity and access management as an event-sourced domain library for TypeScript: OIDC identity providers, projects, roles, and who has which role, inside your own server and on your own database.'

const WHEN =
  "Use it when code imports claviger, or when a TypeScript server needs roles, permissions, sign-in with the customers' identity providers, an audit log of access, or access reviews."

/** The list of guides, with links that begin with `prefix`. */
const guides = (prefix: string): string =>
  guideGroups()
    .map(({ name, guides }) => {
      const items = guides.map(
        ({ title, file, about }) => `- [${title}](${prefix}${file}): ${about}`,
      )
      return `## ${name}\n\n${items.join('\n')}\n`
    })
    .join('\n')

/** The first block of TypeScript of a document. */
const firstCode = async (file: string): Promise<string> => {
  const code = /^```ts\n.*?^```$/ms.exec(await read(file))?.[0]
  if (code === undefined) throw new Error(`${file} has no code`)
  return code
}

const skill = async (): Promise<string> => `---
name: claviger
description: ${JSON.stringify(`${SUMMARY} ${WHEN}`)}
---

# claviger

- Methods return a \`Result\`. Handle it, or wrap it in \`orThrow(…)\`: \`await iam.access.require(…)\` alone guards nothing.
- Leave out a property that is not meant. \`undefined\` is refused where it would ask another question.
- Take the \`caller\` from a verified session or token, never from the body of a request.
- A project of another organization needs \`projectOrgId\` in every call.
- Never change or delete stored events. Use opaque ids as \`userId\`, not e-mail addresses.

## Create an instance

${await firstCode('docs/guides/getting-started.md')}

## Guard a route

${await firstCode('docs/guides/checking-access.md')}

## Give roles

${await firstCode('docs/guides/grants.md')}

## Store it on disk

${await firstCode('docs/guides/sqlite.md')}

# Guides

The paths are those within the package, such as \`node_modules/claviger/docs/guides/getting-started.md\`.

${guides('../../../')}`

const fileAt = (file: string): string => fileURLToPath(new URL(file, root))

it('lists every guide and reference in docs/README.md', async () => {
  const folders = ['docs/guides', 'docs/reference']
  const pages = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`),
  )
  const listed = guideGroups().flatMap(({ guides }) => guides.map(({ file }) => file))
  expect(pages.filter((page) => !listed.includes(page))).toEqual([])
})

it('lists the guides in docs/llms.txt as docs/README.md does', async () => {
  const text = `# claviger\n\n> ${SUMMARY}\n\n${guides('../')}`
  await expect(text).toMatchFileSnapshot(fileAt('docs/llms.txt'))
})

it('makes the skill for agents of the guides', async () => {
  await expect(await skill()).toMatchFileSnapshot(fileAt('docs/skills/claviger/SKILL.md'))
})
