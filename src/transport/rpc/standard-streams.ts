import type { DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createConnectRouter } from '@connectrpc/connect'
import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.js'
import { reflection } from './reflection.js'

/** Most bytes of one message of a stream, which holds a name. */
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Reflection on `services`, and `Watch` of health, which is UNIMPLEMENTED. Anybody may call them: they tell what the
 * package shows to everybody.
 */
export const standardStreams = (services: readonly DescService[]): readonly UniversalHandler[] =>
  createConnectRouter({ readMaxBytes: MAX_MESSAGE_BYTES })
    .service(ServerReflection, reflection([...services, Health, ServerReflection]))
    .rpc(Health.method.watch, () => {
      throw new ConnectError('Watch is not served', Code.Unimplemented)
    }).handlers
