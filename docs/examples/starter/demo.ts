// People and a month of history, made up. Delete this file when you have your own.
import { orThrow } from 'claviger'
import { access, server } from './access.ts'
import { open } from './iam.ts'

/** Yours: rows of your table of users. Dina works for an adviser, which is another organization. */
export const people = [
  { id: 'ada', name: 'Ada Lind', email: 'ada@acme.example', orgId: 'acme' },
  { id: 'ben', name: 'Ben Okafor', email: 'ben@acme.example', orgId: 'acme' },
  { id: 'cleo', name: 'Cleo Marsh', email: 'cleo@acme.example', orgId: 'acme' },
  { id: 'dina', name: 'Dina Roth', email: 'dina@roth.example', orgId: 'roth-advisers' },
]

/** Who calls: Ada is the admin of Acme, Dina that of her company. */
export const as = (userId: string) => {
  const orgId = people.find(({ id }) => id === userId)?.orgId ?? server.orgId
  return { caller: { ...server, userId, orgId } }
}

/** Writes the history into an empty file. */
export const fill = async (): Promise<void> => {
  let now = new Date()
  const { iam, close } = open(() => now)
  const daysAgo = (days: number) => {
    now = new Date(Date.now() - days * 86_400_000)
  }
  const { items } = await orThrow(iam.history.list({ limit: 1 }, as('ada')))
  if (items.length > 0) return close()

  daysAgo(30) // The server declares the project and its roles.
  await orThrow(iam.apply(access, { caller: server }))
  const invoicing = { projectId: 'invoicing', projectOrgId: 'acme' }

  daysAgo(28) // Everybody in the group `finance` of the company's provider approves invoices.
  const idp = { idpId: 'company', name: 'Company sign-in', issuer: 'https://login.acme.example' }
  const client = { clientId: 'invoicing', clientSecret: 'made-up', scopes: ['openid', 'email'] }
  await orThrow(iam.identityProviders.addOidc({ ...idp, ...client }, as('ada')))
  const finance = { idpId: 'company', group: 'finance', ...invoicing, roleKeys: ['approver'] }
  await orThrow(iam.roleMappings.add(finance, as('ada')))
  const cleo = { idpId: 'company', userId: 'cleo', groups: ['finance'] }
  await orThrow(iam.memberships.report(cleo, { caller: server, reason: 'Signed in' }))

  daysAgo(21) // An adviser's company may let its people read invoices; its admin chooses who.
  const advisers = { projectId: 'invoicing', grantedOrgId: 'roth-advisers', roleKeys: ['viewer'] }
  await orThrow(iam.projectGrants.add(advisers, { ...as('ada'), reason: 'Annual audit' }))
  const viewer = { ...invoicing, roles: [{ roleKey: 'viewer' }] }
  await orThrow(iam.userGrants.give({ ...viewer, userId: 'dina' }, as('dina')))

  daysAgo(14)
  await orThrow(iam.userGrants.give({ ...viewer, userId: 'ben' }, as('ada')))

  daysAgo(3) // Until next week.
  const expiresAt = new Date(Date.now() + 7 * 86_400_000)
  const approver = { ...invoicing, userId: 'ben', roles: [{ roleKey: 'approver', expiresAt }] }
  await orThrow(iam.userGrants.give(approver, { ...as('ada'), reason: 'Covers for Cleo' }))
  await close()
}
