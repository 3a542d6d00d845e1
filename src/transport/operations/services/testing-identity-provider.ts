import { err, ok, type Result, ResultAsync } from 'neverthrow'
import type { Context, Iam, IamError } from '../../../index.js'
import { IdentityProviderService } from '../../gen/claviger/v1/identity_provider_service_pb.js'
import type { IdentityProviderTest, TestedIdentityProvider } from '../../options.js'
import { answering, type Operation } from '../operation.js'

type Tested = Result<TestedIdentityProvider, IamError>

/** The operation that tests a provider. What the provider does wrong is a finding, no error. */
export const testingIdentityProvider = (
  iam: Iam,
  test: IdentityProviderTest | undefined,
): Operation => {
  const testing = async (idpId: string, context: Context): Promise<Tested> => {
    // A patch of nothing needs the permission and the provider that a test needs.
    const { caller, orgId, signal } = context
    const asked = { caller, orgId, signal, dryRun: true } as const
    const permitted = await iam.identityProviders.patch({ idpId }, asked)
    if (permitted.isErr()) return err(permitted.error)
    if (test === undefined) return err({ kind: 'NotConfigured', option: 'testIdentityProvider' })
    if (caller === undefined) return err({ kind: 'Unauthenticated' })
    const tested = await test({ orgId: caller.orgId, idpId })
    if (tested.isErr()) throw new Error('testIdentityProvider failed', { cause: tested.error })
    return ok(tested.value)
  }
  return answering(
    IdentityProviderService.method.testIdentityProvider,
    ({ idpId }: { readonly idpId: string }, context) => new ResultAsync(testing(idpId, context)),
    ({ checks }) => ({ checks }),
  )
}
