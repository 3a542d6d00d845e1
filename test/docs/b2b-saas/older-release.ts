// An instance of the example as it was before its last release: it declares a role that is no more, and lacks one.
import { type DesiredAccess, defineAccess } from 'claviger'
import { currentAccess } from '../../../docs/examples/b2b-saas/access.ts'
import { settingsFrom } from '../../../docs/examples/b2b-saas/settings.ts'
import { startInstance } from '../../../docs/examples/b2b-saas/start.ts'

const [invoicing, reports] = currentAccess.projects
const older = defineAccess({
  ...currentAccess,
  version: currentAccess.version - 1,
  projects: [
    {
      ...invoicing,
      roles: [
        ...invoicing.roles.filter(({ roleKey }) => roleKey !== 'approver'),
        { roleKey: 'clerk', displayName: 'Clerk' },
      ],
    },
    reports,
  ],
} satisfies DesiredAccess)

const { port, stop } = await startInstance(settingsFrom(process.env), older)
process.stdout.write(`Ready on ${port}\n`)
process.once('SIGTERM', stop)
