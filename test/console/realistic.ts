import { type Context, type Iam, orThrow } from 'claviger'
import type { ConsoleOptions, UserDescription, UserDirectory } from 'claviger/console'

const NAMES =
  'Anna Berger,Ben Okafor,Carla Mendes,Dmitri Volkov,Elif Yılmaz,Farid Rahimi,Greta Lindqvist,Hiro Tanaka,Ines Ferreira,Jonas Weber,Keiko Mori,Liam O’Brien,Marta Kowalska,Nadia Haddad,Olivia Chen,Pavel Novák,Quinn Taylor,Rosa Jiménez,Sven Eriksson,Tara Singh,Umar Siddiqui,Valérie Dubois,Wanda Nowak,Ximena Rojas,Yusuf Demir,Zoë van Dijk,Aaron Fischer,Bianca Rossi,Chidi Eze,Daniela Popescu'.split(
    ',',
  )

/** Thirty users, whose ids are those of a real host. */
export const PEOPLE: readonly UserDescription[] = NAMES.map((name, index) => ({
  id: `7c9e6679-7425-40de-944b-${String(index).padStart(12, '0')}`,
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@acme.example`,
}))

/** The users of a host, and those of any others by their ids. */
export const directoryOf = (people: readonly UserDescription[]): UserDirectory => ({
  describe: async (ids) => people.filter(({ id }) => ids.includes(id)),
  find: async (text) =>
    people.filter(({ name, email = '' }) =>
      `${name} ${email}`.toLowerCase().includes(text.toLowerCase()),
    ),
})

const ROLES = [
  ['viewer', 'Viewer', 'Reading', ['invoice.read']],
  ['auditor', 'Auditor', 'Reading', ['invoice.read', 'audit.read']],
  ['clerk', 'Clerk', 'Invoices', ['invoice.read', 'invoice.write']],
  ['approver', 'Approver', 'Invoices', ['invoice.read', 'invoice.approve']],
  ['approver/large', 'Approver above 10,000 €', 'Invoices', ['invoice.approve.large']],
  ['dunning', 'Dunning', 'Invoices', ['reminder.send']],
  ['accountant', 'Accountant', 'Books', ['ledger.read', 'ledger.write']],
  ['controller', 'Controller', 'Books', ['ledger.read', 'report.read']],
  ['tax', 'Tax adviser', 'Books', ['ledger.read']],
  ['payer', 'Payment run', 'Payments', ['payment.run']],
  ['bank', 'Bank accounts', 'Payments', ['bank.write']],
  ['admin', 'Administrator of Invoicing', 'Administration', ['settings.write']],
] as const

const JANUARY = new Date('2099-01-31T22:59:00Z')

/** Twelve roles of a project, and thirty users who have some of them. */
export const fillRealistic = async (iam: Iam, { caller: admin }: Context): Promise<void> => {
  const caller = (index: number) => ({
    caller: { orgId: 'acme', ...admin, userId: PEOPLE[index]?.id ?? '' },
  })
  const projectId = 'invoicing'
  await orThrow(iam.projects.add({ id: projectId, name: 'Invoicing' }, caller(0)))
  const roles = ROLES.map(([roleKey, displayName, group, permissions]) => ({
    ...{ roleKey, displayName, group, permissions: [...permissions] },
  }))
  await orThrow(iam.projectRoles.addMany({ projectId, roles }, caller(0)))
  for (const [index, { id: userId }] of PEOPLE.entries()) {
    const given = ROLES.filter((_, role) => (index * 7 + role * 3) % 11 < 2 || role === index % 12)
    const granted = {
      userId,
      projectId,
      roles: given.map(([roleKey], at) =>
        at === 1 ? { roleKey, expiresAt: JANUARY } : { roleKey },
      ),
    }
    const by = {
      ...caller(index % 3),
      ...(index % 4 === 0 && { reason: `Ticket ${4700 + index}` }),
    }
    await orThrow(iam.userGrants.add(granted, by))
  }
  await orThrow(iam.userGrants.deactivate({ userId: PEOPLE[4]?.id ?? '', projectId }, caller(14)))
  await orThrow(
    iam.projectRoles.patch(
      { projectId, roleKey: 'tax', displayName: 'Tax consultant' },
      caller(14),
    ),
  )
  await fillGroups(iam, caller(0))
}

/** A group of the provider that gives a role, and two users in it: one who has roles by hand too, one who has none. */
const fillGroups = async (iam: Iam, context: Context): Promise<void> => {
  const finance = { idpId: 'google', group: 'Finance' }
  const mapped = { ...finance, projectId: 'invoicing', roleKeys: ['accountant'] }
  await orThrow(iam.roleMappings.add(mapped, context))
  for (const userId of [PEOPLE[9]?.id ?? '', 'newcomer']) {
    const reported = { idpId: 'google', userId, groups: ['Finance', 'Everybody'] }
    await orThrow(iam.memberships.report(reported, context))
  }
}

/** Options of a host that is set up fully. */
export const REALISTIC: Partial<ConsoleOptions> = {
  users: directoryOf(PEOPLE),
  title: 'Acme Cloud',
  backUrl: '/app',
  signOutUrl: '/sign-out',
  loginUrl: '/sign-in',
}
