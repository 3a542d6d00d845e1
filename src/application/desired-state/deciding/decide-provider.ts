import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../../domain/aggregate.js'
import { decideAll } from '../../../domain/decider.js'
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
import type { InvalidArgument, WriteError } from '../../errors/errors.js'
import type { StreamState } from '../../recording/stream-state.js'
import type { DesiredIdentityProvider, ParsedProvider } from '../declared/desired-access.js'
import type { PlannedField } from '../plan/plan.js'
import { secretOf } from '../sealed-secrets.js'
import {
  blocked,
  changed,
  type Draft,
  isSuperseded,
  type Scene,
  type Subject,
  superseded,
  writeOf,
} from './draft.js'

/** A provider as declared; with its id alone it is one that is no longer declared. */
type Desired = Partial<ParsedProvider> & Pick<ParsedProvider, 'idpId'>

/**
 * Decides on the identity provider that is declared at `path`. Refused: a new provider without name, or active without secret; a
 * change of the OIDC configuration without an issuer.
 */
export const decideProvider = async (
  scene: Scene,
  desired: Desired,
  path = '',
): Promise<Result<Draft, WriteError>> => {
  const { planning, streams } = scene
  const { sealedSecret: _, initialState, signIn, ...fields } = desired
  const { idpId, issuer = '' } = fields
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
    const isUnchanged = secret?.isStored && isSecretFor(issuer, state)
    const data = { ...fields, clientSecret: isUnchanged ? undefined : secret?.sealed }
    const secretChange = secret && secretField(isUnchanged ? 'unchanged' : 'changed')
    const patch = { type: 'PatchIdentityProvider', data } as const
    return decideAll(identityProvider, [patch, ...configure], before).andThen((events) =>
      issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
        ? err(invalidFields(path, ['issuer'], 'must not be empty'))
        : ok(providerDraft(scene, subject, events, secretChange)),
    )
  }

  const defaults = { name: fields.name, clientSecret: planning.secrets.get(idpId)?.sealed }
  const missing = (['name', 'clientSecret'] as const).filter(
    (field) => defaults[field] === undefined,
  )
  if (missing.length > 0)
    return err(invalidFields(path, missing, 'is required to add the provider'))
  const data = AddOidcIdentityProvider.shape.data.parse({ ...fields, ...defaults })
  const isInactive = initialState === 'inactive'
  const commands: IdentityProviderCommand[] = [
    { type: 'AddOidcIdentityProvider', data },
    ...configure,
    ...(isInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  const stateChange = isInactive ? [{ field: 'state', to: 'inactive' }] : []
  return decideAll(identityProvider, commands, before).map((events) =>
    providerDraft(scene, subject, events, [...stateChange, ...secretField('set')]),
  )
}

const providerDraft = (
  { planning }: Scene,
  { object, before }: ProviderSubject,
  events: readonly IdentityProviderEvent[],
  more?: readonly PlannedField[],
): Draft => {
  const write = writeOf(planning, before, events, (state) => {
    const { idpId, name, stylingType, autoRegister } = state
    const data = { idpId, name, stylingType, autoRegister }
    return { type: 'identity_provider.updated' as const, data }
  })
  return changed(planning, { object, before }, write, more)
}

interface ProviderSubject extends Subject {
  readonly before: StreamState<IdentityProviderState, IdentityProviderEvent>
}

const secretField = (secret: 'set' | 'changed' | 'unchanged'): readonly PlannedField[] => [
  { field: 'clientSecret', secret },
]

const invalidFields = (
  path: string,
  fields: readonly (keyof DesiredIdentityProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `${path}.${field}`,
    description,
  })),
})
