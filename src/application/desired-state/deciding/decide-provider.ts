import { err, ok, type Result } from 'neverthrow'
import { decideAll, exists } from '../../../domain/decider.js'
import {
  type IdentityProviderState,
  identityProvider,
  identityProviders,
  isSecretFor,
} from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/command-schemas.js'
import type { IdentityProviderEvent } from '../../../domain/identity-provider/events.js'
import type { IdpId } from '../../../domain/values.js'
import type { InvalidArgument, WriteError } from '../../errors/errors.js'
import { change, type StreamState } from '../../recording/stream-state.js'
import type { DesiredIdentityProvider, ParsedProvider } from '../declared/desired-access.js'
import type { PlannedField } from '../plan/plan.js'
import { secretOf } from '../sealed-secrets.js'
import { unprotecting } from './contents.js'
import {
  blocked,
  changed,
  type Draft,
  isSuperseded,
  isTouched,
  type Subject,
  superseded,
} from './draft.js'
import type { Scene } from './foresight.js'

/**
 * Decides on the declared identity provider at `index`. Refused: a new provider without name, or active without secret; a
 * change of the OIDC configuration without an issuer.
 */
export const decideProvider = async (
  scene: Scene,
  desired: ParsedProvider,
  index: number,
): Promise<Result<Draft, WriteError>> => {
  const { planning, streams } = scene
  const { sealedSecret: _, initialState, signIn, ...fields } = desired
  const { idpId, issuer } = fields
  const before = await streams.read(identityProviders, { idpId })
  const { state } = before
  const subject = { object: identityProviders.ref({ idpId }), before }
  const configure: readonly IdentityProviderCommand[] = signIn
    ? [{ type: 'ConfigureSignIn', data: { idpId, ...signIn } }]
    : []
  if (state.status === 'removed') return ok(blocked(subject.object))
  if (isSuperseded(planning, before)) return ok(superseded(subject))

  if (exists(state)) {
    const secret = await secretOf(planning, desired, state.clientSecret)
    // A secret that is declared with another issuer belongs to that issuer.
    const isKept = secret?.isStored && isSecretFor(issuer, state)
    const data = { ...fields, clientSecret: isKept ? undefined : secret?.sealed }
    const shown = secret && secretField(isKept ? 'unchanged' : 'changed')
    const patch = { type: 'PatchIdentityProvider', data } as const
    return decideAll(identityProvider, [patch, ...configure], before).andThen((events) =>
      issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
        ? err(invalidFields(index, ['issuer'], 'must not be empty'))
        : ok(providerDraft(scene, subject, events, shown)),
    )
  }

  const given = { name: fields.name, clientSecret: planning.secrets.get(idpId)?.sealed }
  const missing = (['name', 'clientSecret'] as const).filter((field) => given[field] === undefined)
  if (missing.length > 0)
    return err(invalidFields(index, missing, 'is required to add the provider'))
  const data = AddOidcIdentityProvider.shape.data.parse({ ...fields, ...given })
  const isInactive = initialState === 'inactive'
  const commands: IdentityProviderCommand[] = [
    { type: 'AddOidcIdentityProvider', data },
    ...configure,
    ...(isInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  const shown = isInactive ? [{ field: 'state', to: 'inactive' }] : []
  return decideAll(identityProvider, commands, before).map((events) =>
    providerDraft(scene, subject, events, [...shown, ...secretField('set')]),
  )
}

/** Ends the protection of an identity provider that is not declared. */
export const liftProvider = async (scene: Scene, idpId: IdpId): Promise<Draft> =>
  providerDraft(
    { ...scene, planning: unprotecting(scene.planning) },
    {
      object: identityProviders.ref({ idpId }),
      before: await scene.streams.read(identityProviders, { idpId }),
    },
    [],
  )

/** The draft of a provider by `decided`, or by an event with the same fields if its protection alone changes. */
const providerDraft = (
  { planning }: Scene,
  { object, before }: ProviderSubject,
  decided: readonly IdentityProviderEvent[],
  more?: readonly PlannedField[],
): Draft => {
  const { state } = before
  let events = decided
  if (events.length === 0 && exists(state) && isTouched(planning, before)) {
    const { idpId, name, stylingType, autoRegister } = state
    events = [
      { type: 'identity_provider.updated', data: { idpId, name, stylingType, autoRegister } },
    ]
  }
  return changed(planning, { object, before }, change(before, events), more)
}

interface ProviderSubject extends Subject {
  readonly before: StreamState<IdentityProviderState, IdentityProviderEvent>
}

const secretField = (secret: 'set' | 'changed' | 'unchanged'): readonly PlannedField[] => [
  { field: 'clientSecret', secret },
]

const invalidFields = (
  index: number,
  fields: readonly (keyof DesiredIdentityProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `identityProviders[${index}].${field}`,
    description,
  })),
})
