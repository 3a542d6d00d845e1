import type { SortKey, SortValue, Views, ViewType } from '../../../ports/read-model.js'
import { domainSample } from './domain.js'
import { identityProviderSample } from './identity-provider.js'
import { projectSample } from './project.js'
import { projectGrantSample } from './project-grant.js'
import { projectRoleSample } from './project-role.js'
import type { Sample } from './sample.js'
import { userGrantSample } from './user-grant.js'

/** The sample of each type; containers come first. */
export const SAMPLES: { readonly [Type in ViewType]: Sample<Type> } = {
  identity_provider: identityProviderSample,
  project: projectSample,
  project_role: projectRoleSample,
  project_grant: projectGrantSample,
  user_grant: userGrantSample,
  domain: domainSample,
}

/** The samples of all types. */
export const ALL_SAMPLES = Object.values(SAMPLES)

/** One for each type; together they have events of every type. */
export const SCENARIOS = ALL_SAMPLES.map(({ scenario }) => scenario)

/** All types of object. */
export const TYPES = SCENARIOS.map(({ ref }) => ref.type)

/** The events that add the objects of {@link SCENARIOS}. */
export const FIRST_EVENTS = SCENARIOS.map(({ steps: [[event]] }) => event)

/** The order by id or key. */
export const byIdentity = (type: ViewType): SortKey => ({
  field: SAMPLES[type].identity,
  direction: 'asc',
})

/** What lists sort `row` by under `field`. @throws RangeError when lists are not sorted by it */
export const sortValue = <Type extends ViewType>(
  type: Type,
  field: string,
  row: Views[Type],
): SortValue => {
  const read = SAMPLES[type].sortFields[field]
  if (read === undefined) throw new RangeError(`Lists of ${type} are not sorted by ${field}`)
  return read(row)
}
