import { aesGcmCipher, createIam, orThrow } from 'claviger'
import { openSqlite } from 'claviger/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { claviger } from './command-line.js'
import { newFile } from './places.js'

const secrets = aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } })

const file = newFile()
const MARCH = '2026-03-10T12:00:00.000Z'
const APRIL = '2026-04-10T12:00:00.000Z'
const END = '2026-12-31T00:00:00.000Z'

/** A vendor whose project a customer has; users of both, by grants and by a group. */
beforeAll(async () => {
  let now = MARCH
  const opened = openSqlite(file, { now: () => new Date(now) })
  const iam = createIam({ ...opened, secrets, authorize: () => true })
  const caller = { userId: 'root', orgId: 'vendor' }
  const [vendor, acme] = [{ caller }, { caller, orgId: 'acme' }]
  const shop = { projectId: 'shop' }
  await orThrow(iam.projects.add({ id: 'shop', name: 'Shop' }, vendor))
  for (const roleKey of ['reader', 'writer'])
    await orThrow(iam.projectRoles.add({ ...shop, roleKey, displayName: roleKey }, vendor))
  const grantedOrgId = 'acme'
  await orThrow(iam.projectGrants.add({ ...shop, grantedOrgId, roleKeys: ['reader'] }, vendor))
  const writer = [{ roleKey: 'writer', expiresAt: new Date(END) }]
  await orThrow(iam.userGrants.give({ ...shop, userId: '=vera', roles: writer }, vendor))
  const onOne = { ...shop, projectOrgId: 'vendor', resource: 'workspace:42' }
  await orThrow(
    iam.userGrants.give({ ...onOne, userId: 'bo', roles: [{ roleKey: 'reader' }] }, acme),
  )
  const okta = { idpId: 'okta', name: 'Okta', clientId: 'c', clientSecret: 's', issuer: '' }
  await orThrow(iam.identityProviders.addOidc({ ...okta, issuer: 'https://o.test' }, acme))
  const staff = { idpId: 'okta', group: 'staff', ...shop, projectOrgId: 'vendor' }
  await orThrow(iam.roleMappings.add({ ...staff, roleKeys: ['reader'] }, acme))
  now = APRIL
  await orThrow(iam.memberships.report({ idpId: 'okta', userId: 'ada', groups: ['staff'] }, acme))
  await opened.close()
}, 30_000)

const printed = async (...parameters: readonly string[]) => {
  const { code, out, notes } = await claviger(...parameters, '--db', file)
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  return out.split('\n').slice(0, -1)
}

describe('claviger users', () => {
  it('prints the users of an organization with their roles of own and granted projects', async () => {
    const ada = `acme ada  vendor shop  reader  okta: staff  since ${APRIL}`
    const bo = `acme bo  vendor shop workspace:42  reader  grant  since ${MARCH}`
    expect(await printed('users', '--org', 'acme')).toEqual([ada, bo])
    const on = (resource: string) =>
      printed('users', '--org', 'acme', '--project', 'shop', '--resource', resource)
    expect(await on('workspace:42')).toEqual([ada, bo])
    expect(await on('workspace:7')).toEqual([ada])
    expect(await printed('users', '--org', 'vendor')).toEqual([
      `vendor =vera  vendor shop  writer  grant  since ${MARCH}  until ${END}`,
    ])
    const narrow = ['--project', 'shop', '--owner', 'vendor', '--role', 'reader'] as const
    expect(await printed('users', '--org', 'acme', 'ada', 'bob', ...narrow)).toEqual([ada])
    expect(await printed('users', '--org', 'acme', 'bob')).toEqual([])
    expect(await printed('users', '--org', 'acme', '--permission', 'read')).toEqual([])
    expect(await printed('users', '--org', 'acme', '--at', '2026-04-01')).toEqual([bo])
    const [json = ''] = await printed('users', '--org', 'acme', '--json')
    expect(JSON.parse(json)).toEqual({
      userId: 'ada',
      roles: [
        {
          projectOrgId: 'vendor',
          projectId: 'shop',
          roleKey: 'reader',
          displayName: 'reader',
          via: { idpId: 'okta', group: 'staff' },
          since: APRIL,
        },
      ],
    })
  })
})

describe('claviger review', () => {
  it('prints who has which role, also users of other organizations, for a spreadsheet', async () => {
    expect(await printed('review', '--org', 'vendor', '--csv')).toEqual([
      'orgId,userId,projectOrgId,projectId,resource,roleKey,via,since,expiresAt',
      `vendor,'=vera,vendor,shop,,writer,grant,${MARCH},${END}`,
      `acme,ada,vendor,shop,,reader,okta: staff,${APRIL},`,
      `acme,bo,vendor,shop,workspace:42,reader,grant,${MARCH},`,
    ])
    const march = ['--at', '2026-03-31T23:59:59Z'] as const
    expect(await printed('review', '--org', 'vendor', '--csv', ...march)).toHaveLength(3)
    const [first = ''] = await printed('review', '--org', 'acme', '--json')
    expect(JSON.parse(first)).toMatchObject({
      orgId: 'acme',
      userId: 'ada',
      resource: '',
      expiresAt: '',
    })
    expect(await printed('review', '--org', 'acme')).toEqual([
      `acme ada  vendor shop  reader  okta: staff  since ${APRIL}`,
      `acme bo  vendor shop workspace:42  reader  grant  since ${MARCH}`,
    ])
  })

  it('refuses two forms at once', async () => {
    const { code, notes } = await claviger('review', '--org', 'a', '--csv', '--json', '--db', file)
    expect({ code, notes }).toMatchObject({
      code: 64,
      notes: expect.stringContaining('Give either --csv or --json'),
    })
  })
})
