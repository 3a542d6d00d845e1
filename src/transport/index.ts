export { connectRoutes } from './connect-routes.js'
export { fetchHandler } from './fetch-handler.js'
export { IdentityProviderService } from './gen/claviger/v1/identity_provider_service_pb.js'
export { ProjectRoleService } from './gen/claviger/v1/project_role_service_pb.js'
export { ProjectService } from './gen/claviger/v1/project_service_pb.js'
export {
  type NodeHandler,
  type NodeRequest,
  type NodeResponse,
  nodeHandler,
} from './node-handler.js'
export type { Authentication, Failure, TransportOptions } from './options.js'
