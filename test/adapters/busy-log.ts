import type { AnyEvent } from '../../src/domain/aggregates.js'
import {
  grantOf,
  projectGrantAdded,
  projectGrantDeactivated,
  projectGrantReactivated,
  projectGrantRemoved,
  projectGrantUpdated,
  userGrantAdded,
} from '../../src/laws/read-model/grant-samples.js'
import { type Log, logOf } from '../../src/laws/read-model/harness.js'
import {
  mappingAdded,
  mappingRemoved,
  mappingUpdated,
  reported,
} from '../../src/laws/read-model/mapping-samples.js'
import {
  eventOf,
  idpAdded,
  idpDeactivated,
  idpReactivated,
  idpRemoved,
  projectAdded,
  projectDeactivated,
  projectReactivated,
  projectRemoved,
  roleAdded,
  roleRemoved,
  roleUpdated,
} from '../../src/laws/read-model/object-samples.js'

const BOTH = ['reader', 'writer']
const STAFF = { idpId: 'google', group: 'staff', projectId: 'portal', projectOrgId: 'acme' }

/** A project with so many holders of both roles, members of a group, and organizations that it is granted to. */
export const busyLog = (users: number, organizations = users): Log => {
  const log = logOf([
    ['acme', projectAdded('portal')],
    ['acme', roleAdded('portal', 'reader', { permissions: ['read'] })],
    ['acme', roleAdded('portal', 'writer')],
    ['acme', idpAdded('google')],
    ['acme', mappingAdded(STAFF, BOTH)],
    ['acme', projectGrantAdded('portal', 'globex', BOTH)],
  ])
  for (let index = 0; index < organizations; index++)
    log.record('acme', projectGrantAdded('portal', `org-${index}`, BOTH))
  for (let index = 0; index < users; index++) {
    log.record('globex', userGrantAdded(grantOf(`user-${index}`), BOTH))
    log.record('acme', reported('google', `user-${index}`, ['staff']))
  }
  return log
}

/** Events of `acme` that suspend, end, change or begin roles of all these users: every type that does. */
export const FAR_REACHING: readonly AnyEvent[] = [
  eventOf('project.updated', { ...projectAdded('portal').data, name: 'Gate' }),
  roleUpdated('portal', 'reader', { permissions: [] }),
  projectDeactivated('portal'),
  projectReactivated('portal'),
  projectGrantDeactivated('portal', 'globex'),
  projectGrantReactivated('portal', 'globex'),
  idpDeactivated('google'),
  idpReactivated('google'),
  mappingUpdated(STAFF, ['reader']),
  projectGrantUpdated('portal', 'globex', ['writer']),
  roleRemoved('portal', 'reader'),
  roleAdded('portal', 'reader'),
  projectGrantUpdated('portal', 'globex', BOTH),
  projectGrantRemoved('portal', 'globex'),
  projectGrantAdded('portal', 'globex', BOTH),
  mappingRemoved(STAFF),
  mappingAdded(STAFF, BOTH),
  idpRemoved('google'),
  projectRemoved('portal'),
  projectAdded('portal'),
]
