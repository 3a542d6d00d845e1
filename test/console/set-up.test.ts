import { type Caller, orThrow } from 'claviger'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openVendor, vendor } from './set-up-host.js'

let host: Awaited<ReturnType<typeof openVendor>>
beforeAll(async () => {
  host = await openVendor()
})
afterAll(() => host.close())

const provider = {
  name: 'Entra',
  clientId: 'c',
  clientSecret: 's',
  issuer: 'https://login.example.com',
}
const context = { caller: vendor }

/** Issues a link and opens it, and reads what the set-up page gets. */
const opened = async (idpId?: string) => {
  const issued = await orThrow(
    host.iam.setupLinks.issue(
      {
        expiresAt: new Date(Date.now() + 86_400_000),
        intents: ['provider', 'domain'],
        ...(idpId !== undefined && { idpId }),
      },
      context,
    ),
  )
  const { caller } = await orThrow(host.iam.setupLinks.redeem({ token: issued.token }))
  const shown = async () => {
    const response = await fetch(`${host.origin}/set-up/api/setUp`, {
      headers: { authorization: `Bearer ${issued.token}` },
    })
    return response.json()
  }
  return { linkId: issued.linkId, caller: caller satisfies Caller, shown }
}

it('tells the pages of a link when its draft was removed, as its id stays taken', async () => {
  const { iam } = host
  const { linkId, caller, shown } = await opened()
  expect(await shown()).toMatchObject({ idpId: linkId, isRemoved: false })
  await orThrow(iam.identityProviders.addOidc({ idpId: linkId, ...provider }, { caller }))
  expect(await shown()).toMatchObject({ isRemoved: false })
  await orThrow(iam.identityProviders.remove({ idpId: linkId }, context))
  expect(await shown()).toMatchObject({ idpId: linkId, isRemoved: true })
  const again = await iam.identityProviders.addOidc({ idpId: linkId, ...provider }, { caller })
  expect(again.isErr() && again.error.kind).toBe('AlreadyExists')
})

it('tells them so of a provider that the link names', async () => {
  const { iam } = host
  await orThrow(iam.identityProviders.addOidc({ idpId: 'named', ...provider }, context))
  await orThrow(iam.identityProviders.deactivate({ idpId: 'named' }, context))
  const { shown } = await opened('named')
  expect(await shown()).toMatchObject({ idpId: 'named', isRemoved: false })
  await orThrow(iam.identityProviders.remove({ idpId: 'named' }, context))
  expect(await shown()).toMatchObject({ isRemoved: true })
})
