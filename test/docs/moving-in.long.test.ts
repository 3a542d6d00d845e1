import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownFolder, shell } from '../cli/command-line.js'
import { betterAuthInstance } from '../import/better-auth/better-auth-instance.js'
import { keycloakRealm } from '../import/keycloak/keycloak-realm.js'
import { zitadelExport } from '../import/zitadel/zitadel-export.js'

it('the commands of the guide to moving in do what it says', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/guides/moving-in.md'), 'utf8')
  const [, commands = ''] = /```sh\n(npx claviger import .*?)```/s.exec(guide) ?? []
  const cwd = ownFolder()
  const files = {
    'acme-realm.json': keycloakRealm,
    'zitadel-export.json': zitadelExport,
    'better-auth-tables.json': (await betterAuthInstance()).tables,
    'keys.json': { current: 'k1', keys: { k1: Buffer.alloc(32, 1).toString('base64') } },
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(cwd, name), JSON.stringify(content))
  const codes = commands
    .trim()
    .split('\n')
    .map((command) => `${command}; echo "exit $?"`)
  const { out, notes } = await shell(codes.join('\n'), { cwd })
  expect(notes).toBe('')
  expect(out.match(/^exit \d+$/gm)).toEqual(['exit 2', 'exit 0', 'exit 0', 'exit 0'])
})
