import { IdpId, ProjectId, RoleKey } from '../../domain/values.js'
import { type RecordedEvent, timeOf } from '../../ports/event-store.js'
import { demandEqual } from '../law.js'
import { spoil } from '../spoil.js'
import { fedWith, feed, type ReadModelLaw } from './law.js'
import { byIdentity, listOf, TYPES } from './lists.js'
import { idpAdded, newLog, projectAdded, projectRemoved, roleAdded, roleRemoved } from './log.js'

const IDP = { type: 'identity_provider', idpId: 'google' } as const
const PORTAL = { type: 'project', id: 'portal' } as const
const roleRef = (roleKey: string) =>
  ({ type: 'project_role', projectId: 'portal', roleKey }) as const

const details = (first: RecordedEvent, last: RecordedEvent, resourceOwner = 'acme') => ({
  sequence: last.position,
  creationDate: timeOf(first.position),
  changeDate: timeOf(last.position),
  resourceOwner,
})

/** Laws of `get`. */
export const getLaws: readonly ReadModelLaw[] = [
  {
    name: 'An identity provider is read with all its fields but never its secret.',
    check: async (home) => {
      const log = newLog()
      const idpId = IdpId.parse('google')
      const { clientSecret, ...shown } = idpAdded('google').data
      const added = log.record('acme', idpAdded('google'))
      const model = await fedWith(home, log)
      const expected = { ...shown, state: 'active', details: details(added, added) }
      demandEqual('as added', await model.get('acme', IDP), expected)

      const oidc = {
        clientId: 'other',
        issuer: '',
        scopes: [],
        displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
        usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
      } as const
      const appearance = {
        name: 'Renamed',
        stylingType: 'STYLING_TYPE_UNSPECIFIED',
        autoRegister: false,
      } as const
      const steps = [
        [{ type: 'identity_provider.oidc_config_updated', data: { idpId, ...oidc } }, oidc],
        [
          {
            type: 'identity_provider.oidc_config_updated',
            data: { idpId, ...oidc, clientSecret },
          },
          oidc,
        ],
        [{ type: 'identity_provider.updated', data: { idpId, ...appearance } }, appearance],
        [{ type: 'identity_provider.deactivated', data: { idpId } }, { state: 'inactive' }],
        [{ type: 'identity_provider.secret_resealed', data: { idpId, clientSecret } }, {}],
        [{ type: 'identity_provider.reactivated', data: { idpId } }, { state: 'active' }],
      ] as const
      for (const [event, change] of steps) {
        const last = log.record('acme', event)
        await feed(model, log)
        Object.assign(expected, change, { details: details(added, last) })
        demandEqual(event.type, await model.get('acme', IDP), expected)
      }
      log.record('acme', { type: 'identity_provider.removed', data: { idpId } })
      await feed(model, log)
      demandEqual('as removed', await model.get('acme', IDP), undefined)
    },
  },
  {
    name: 'A project is read with all its fields.',
    check: async (home) => {
      const log = newLog()
      const id = ProjectId.parse('portal')
      const { data } = projectAdded('portal')
      const added = log.record('acme', projectAdded('portal'))
      const model = await fedWith(home, log)
      const expected = { ...data, state: 'active', details: details(added, added) }
      demandEqual('as added', await model.get('acme', PORTAL), expected)

      const settings = {
        name: 'Renamed',
        projectRoleAssertion: false,
        projectRoleCheck: true,
        hasProjectCheck: false,
        privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
      } as const
      const steps = [
        [{ type: 'project.updated', data: { id, ...settings } }, settings],
        [{ type: 'project.deactivated', data: { id } }, { state: 'inactive' }],
        [{ type: 'project.reactivated', data: { id } }, { state: 'active' }],
      ] as const
      for (const [event, change] of steps) {
        const last = log.record('acme', event)
        await feed(model, log)
        Object.assign(expected, change, { details: details(added, last) })
        demandEqual(event.type, await model.get('acme', PORTAL), expected)
      }
      log.record('acme', projectRemoved('portal'))
      await feed(model, log)
      demandEqual('as removed', await model.get('acme', PORTAL), undefined)
    },
  },
  {
    name: 'A role that is added again is a new one.',
    check: async (home) => {
      const log = newLog()
      const names = { projectId: ProjectId.parse('portal'), roleKey: RoleKey.parse('editor') }
      const shown = { displayName: 'Chief editor', group: 'content' }
      log.record('acme', projectAdded('portal'))
      const added = log.record('acme', roleAdded('portal', 'editor', { displayName: 'Editor' }))
      const updated = log.record('acme', {
        type: 'project_role.updated',
        data: { ...names, ...shown },
      })
      const model = await fedWith(home, log)
      const expected = { ...names, ...shown, state: 'active', details: details(added, updated) }
      demandEqual('as updated', await model.get('acme', roleRef('editor')), expected)

      log.record('acme', roleRemoved('portal', 'editor'))
      await feed(model, log)
      demandEqual('as removed', await model.get('acme', roleRef('editor')), undefined)

      const again = log.record('acme', roleAdded('portal', 'editor', shown))
      await feed(model, log)
      const anew = { ...expected, details: details(again, again) }
      demandEqual('as added again', await model.get('acme', roleRef('editor')), anew)
    },
  },
  {
    name: 'A role is not found once its project is removed.',
    check: async (home) => {
      for (const batches of [1, 2]) {
        const log = newLog()
        log.record('acme', projectAdded('portal'))
        log.record('acme', roleAdded('portal', 'kept'))
        log.record('acme', roleAdded('portal', 'editor'))
        log.record('other', projectAdded('portal'))
        log.record('other', roleAdded('portal', 'editor'))
        const model = batches === 2 ? await fedWith(home, log) : await home.open()
        log.record('acme', roleRemoved('portal', 'kept'))
        log.record('acme', roleAdded('portal', 'kept'))
        log.record('acme', projectRemoved('portal'))
        await feed(model, log)
        for (const roleKey of ['kept', 'editor']) {
          demandEqual(roleKey, await model.get('acme', roleRef(roleKey)), undefined)
        }
        const other = await model.get<'project_role'>('other', roleRef('editor'))
        demandEqual('role of another organization', other?.details.resourceOwner, 'other')
      }
    },
  },
  {
    name: 'Keys are compared code point by code point.',
    check: async (home) => {
      const keys = [
        'Editor',
        'editor',
        'é',
        'e\u0301',
        'a+b',
        'a',
        '😀',
        '\'%_\\"',
        ' a',
        'ß',
        'SS',
      ]
      const log = newLog()
      log.record('acme', projectAdded('portal'))
      for (const key of keys) log.record('acme', roleAdded('portal', key))
      const model = await fedWith(home, log)
      for (const key of keys) {
        const role = await model.get<'project_role'>('acme', roleRef(key))
        demandEqual(`role ${key}`, role?.displayName, key)
      }
      for (const key of ['EDITOR', 'a ', 'b', 'a+', '%', '\ud83d', '']) {
        demandEqual(`role ${key}`, await model.get('acme', roleRef(key)), undefined)
      }
    },
  },
  {
    name: 'An object of another organization is not found.',
    check: async (home) => {
      const log = newLog()
      log.record('acme', idpAdded('google'))
      log.record('acme', projectAdded('portal'))
      log.record('acme', roleAdded('portal', 'editor'))
      const model = await fedWith(home, log)
      for (const orgId of ['acm', 'acme2', 'ACME', 'acme+portal', '', '%']) {
        for (const ref of [IDP, PORTAL, roleRef('editor')]) {
          demandEqual(`${ref.type} in ${orgId}`, await model.get(orgId, ref), undefined)
        }
      }
    },
  },
  {
    name: 'Whoever alters an answer alters nothing else.',
    check: async (home) => {
      const log = newLog()
      log.record('acme', idpAdded('google'))
      log.record('acme', projectAdded('portal'))
      log.record('acme', roleAdded('portal', 'editor'))
      const model = await fedWith(home, log)
      const reads = [
        ...[IDP, PORTAL, roleRef('editor')].map((ref) => () => model.get('acme', ref)),
        ...TYPES.map((type) => () => model.list(listOf(type, [byIdentity(type)]))),
        () => model.history({ orgId: 'acme', after: 0n, limit: 10 }),
      ]
      for (const read of reads) {
        const answer = await read()
        const before = structuredClone(answer)
        spoil(answer)
        demandEqual('the answer to the same question', await read(), before)
      }
    },
  },
]
