import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Of the built package, by its name. */
const program = (load: string, issuer: string) => `
const { aesGcmCipher, createIam, memoryEventStore } = ${load}('claviger')
const { openIdSignIn } = ${load}('claviger/oidc')
const main = async () => {
  const key = new Uint8Array(32)
  const secrets = aesGcmCipher({ current: 'k', keys: { k: key } })
  const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
  const caller = { userId: 'u', orgId: 'acme' }
  const idp = { idpId: 'own', name: 'Own', clientId: 'c', clientSecret: 's', issuer: '${issuer}' }
  await iam.identityProviders.addOidc(idp, { caller })
  const redirectUri = 'https://host.test/callback'
  const options = { iam, caller, key, redirectUri, lookup: false, allowHttpLoopback: true, timeout: 100 }
  const begun = await openIdSignIn(options).begin({ orgId: 'acme', idpId: 'own' })
  console.log(JSON.stringify(begun.error))
}
main()`

it.each([
  ['module', 'await import'],
  ['commonjs', 'require'],
])('A process (%s) ends by itself after a provider did not answer', async (type, load) => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const parameters = [`--input-type=${type}`, '--eval', program(load, issuer)]
    const cwd = resolve(import.meta.dirname, '../..')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, parameters, { cwd })
    expect(JSON.parse(stdout)).toEqual({ kind: 'ProviderUnreachable', reason: 'timeout' })
    expect(stderr).toBe('')
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})
