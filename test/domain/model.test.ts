import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exists } from '../../src/domain/aggregate.js'
import { type Decider, fold } from '../../src/domain/decider.js'
import { identityProvider } from '../../src/domain/identity-provider/aggregate.js'
import type { IdentityProviderCommand } from '../../src/domain/identity-provider/command-schemas.js'
import type { Message } from '../../src/domain/message.js'
import { project } from '../../src/domain/project/aggregate.js'
import type { ProjectCommand } from '../../src/domain/project/command-schemas.js'
import { projectGrant } from '../../src/domain/project-grant/aggregate.js'
import type { ProjectGrantCommand } from '../../src/domain/project-grant/command-schemas.js'
import { projectRole } from '../../src/domain/project-role/aggregate.js'
import type { ProjectRoleCommand } from '../../src/domain/project-role/command-schemas.js'
import { userGrant } from '../../src/domain/user-grant/aggregate.js'
import type { UserGrantCommand } from '../../src/domain/user-grant/command-schemas.js'
import {
  identityProviderCommands,
  projectCommands,
  projectGrantCommands,
  projectRoleCommands,
  userGrantCommands,
} from './commands.arbitrary.js'
import {
  applyTo,
  type Effect,
  emptyRow,
  inOrder,
  type Outcome,
  type Row,
} from './reference-model.js'

const effectOnProvider = ({ type, data }: IdentityProviderCommand): Effect => {
  switch (type) {
    case 'AddOidcIdentityProvider':
      return { does: 'create', fields: data }
    case 'UpdateOidcConfig':
    case 'UpdateIdentityProvider':
    case 'PatchIdentityProvider':
      return { does: 'change', fields: data }
    case 'ConfigureSignIn': {
      const { idpId: _, ...settings } = data
      const isEmpty = Object.keys(settings).length === 0
      return { does: 'change', fields: { signIn: isEmpty ? undefined : settings } }
    }
    case 'DeactivateIdentityProvider':
      return { does: 'switch', active: false }
    case 'ReactivateIdentityProvider':
      return { does: 'switch', active: true }
    case 'RemoveIdentityProvider':
      return { does: 'remove' }
    case 'ResealClientSecret': {
      const { clientSecret, replaces } = data
      return { does: 'swap', name: 'clientSecret', expected: replaces, fields: { clientSecret } }
    }
  }
}

const effectOnProject = ({ type, data }: ProjectCommand): Effect => {
  switch (type) {
    case 'AddProject':
      return { does: 'create', fields: data }
    case 'UpdateProject':
    case 'PatchProject':
      return { does: 'change', fields: data }
    case 'DeactivateProject':
      return { does: 'switch', active: false }
    case 'ReactivateProject':
      return { does: 'switch', active: true }
    case 'RemoveProject':
      return { does: 'remove' }
  }
}

const effectOnRole = ({ type, data }: ProjectRoleCommand): Effect => {
  switch (type) {
    case 'AddProjectRole':
      return { does: 'create', fields: { ...data, permissions: data.permissions ?? [] } }
    case 'UpdateProjectRole':
      return { does: 'change', fields: { ...data, permissions: data.permissions ?? [] } }
    case 'PatchProjectRole': {
      const { permissions, ...rest } = data
      return { does: 'change', fields: permissions ? { ...rest, permissions } : rest }
    }
    case 'RemoveProjectRole':
      return { does: 'remove' }
  }
}

/** When each role ends, by its key: what tells the roles of one grant apart. */
const endsOf = (roles: readonly { readonly roleKey: string; readonly expiresAt?: unknown }[]) =>
  inOrder(Object.fromEntries(roles.map(({ roleKey, expiresAt = 'never' }) => [roleKey, expiresAt])))

const effectOnProjectGrant = ({ type, data }: ProjectGrantCommand): Effect => {
  switch (type) {
    case 'AddProjectGrant':
      return { does: 'create', fields: { roles: endsOf(data.roles) } }
    case 'UpdateProjectGrant':
      return { does: 'change', fields: { roles: endsOf(data.roles) } }
    case 'DeactivateProjectGrant':
      return { does: 'switch', active: false }
    case 'ReactivateProjectGrant':
      return { does: 'switch', active: true }
    case 'RemoveProjectGrant':
      return { does: 'remove' }
  }
}

const effectOnUserGrant = ({ type, data }: UserGrantCommand): Effect => {
  switch (type) {
    case 'AddUserGrant':
      return { does: 'create', fields: { roles: endsOf(data.roles) } }
    case 'UpdateUserGrant':
      return { does: 'change', fields: { roles: endsOf(data.roles) } }
    case 'AddUserGrantRoles':
      return { does: 'give', name: 'roles', items: endsOf(data.roles) }
    case 'RemoveUserGrantRoles':
      return { does: 'take', name: 'roles', keys: data.roleKeys }
    case 'DeactivateUserGrant':
      return { does: 'switch', active: false }
    case 'ReactivateUserGrant':
      return { does: 'switch', active: true }
    case 'RemoveUserGrant':
      return { does: 'remove' }
  }
}

/** To be given a secret is a change, whatever its seal. */
const isSecretUpdate = ({ type, data }: Message): boolean =>
  ['UpdateOidcConfig', 'PatchIdentityProvider'].includes(type) && 'clientSecret' in data

const rowOf = (state: { readonly status: string }, isNew: boolean): Row => {
  const { status, ...fields } = state
  if (status === 'absent') return { life: isNew ? 'never was' : 'gone', active: false, fields }
  if (status === 'removed') return { life: 'gone', active: false, fields }
  return { life: 'alive', active: status === 'active', fields }
}

interface Compared<Command, State extends { readonly status: string }, Event> {
  readonly decider: Decider<Command, State, Event, { readonly kind: string }>
  readonly commands: fc.Arbitrary<Command>
  readonly effectOf: (command: Command) => Effect
  readonly keepsIds: boolean
  /** The fields of the model that a state keeps. */
  readonly kept: (row: Row) => Row
  /** The fields of a state that the model has. */
  readonly modelled: (state: State) => { readonly status: string }
}

const describeAgainstModel = <
  Command extends Message,
  State extends { readonly status: string },
  Event,
>(
  name: string,
  { decider, commands, effectOf, keepsIds, kept, modelled }: Compared<Command, State, Event>,
): void => {
  describe(name, () => {
    it('does what the reference model does, command by command', () => {
      fc.assert(
        fc.property(fc.array(commands, { maxLength: 30 }), (sequence) => {
          let row = emptyRow
          const log: Event[] = []
          for (const command of sequence) {
            const [expected, next] = applyTo(row, effectOf(command), keepsIds)
            row = next
            const decision = decider.decide(command, fold(decider, log))
            const outcome = decision.match<string>(
              (events) => (events.length === 0 ? 'unchanged' : 'changed'),
              ({ kind }) => kind,
            )
            const isRecorded = isSecretUpdate(command) && expected === 'unchanged'
            expect(outcome).toBe(isRecorded ? ('changed' satisfies Outcome) : expected)
            log.push(...decision.unwrapOr([]))
            const isNew = log.length === 0 || keepsIds
            expect(rowOf(modelled(fold(decider, log)), isNew)).toEqual(kept(row))
          }
        }),
        { numRuns: 300 },
      )
    })

    it('returns events that its own schema reads back as they are', () => {
      fc.assert(
        fc.property(fc.array(commands, { maxLength: 15 }), (sequence) => {
          const log: Event[] = []
          for (const command of sequence)
            log.push(...decider.decide(command, fold(decider, log)).unwrapOr([]))
          const stored: unknown = JSON.parse(JSON.stringify(log))
          expect(log.map((event) => decider.eventSchema.parse(event))).toEqual(stored)
        }),
      )
    })
  })
}

describeAgainstModel('identityProvider', {
  decider: identityProvider,
  commands: identityProviderCommands,
  effectOf: effectOnProvider,
  keepsIds: true,
  kept: (row) => row,
  // Which issuer a secret was given for is tested with the secrets, in test/oidc/moved-secret.test.ts.
  modelled: (state) => {
    if (state.status === 'absent' || state.status === 'removed') return state
    const { secretIssuer: _, ...fields } = state
    return fields
  },
})

describeAgainstModel('project', {
  decider: project,
  commands: projectCommands,
  effectOf: effectOnProject,
  keepsIds: true,
  kept: (row) => row,
  modelled: (state) => state,
})

describeAgainstModel('projectRole', {
  decider: projectRole,
  commands: projectRoleCommands,
  effectOf: effectOnRole,
  keepsIds: false,
  kept: ({ fields: { projectId: _, roleKey: __, ...fields }, ...row }) => ({ ...row, fields }),
  modelled: (state) => {
    if (!exists(state)) return state
    const { since: _, ...fields } = state
    return fields
  },
})

describeAgainstModel('projectGrant', {
  decider: projectGrant,
  commands: projectGrantCommands,
  effectOf: effectOnProjectGrant,
  keepsIds: false,
  kept: (row) => row,
  modelled: (state) =>
    exists(state) ? { status: state.status, roles: endsOf(state.roles) } : { status: state.status },
})

describeAgainstModel('userGrant', {
  decider: userGrant,
  commands: userGrantCommands,
  effectOf: effectOnUserGrant,
  keepsIds: false,
  kept: (row) => row,
  modelled: (state) => (exists(state) ? { ...state, roles: endsOf(state.roles) } : state),
})
