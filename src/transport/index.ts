export { AccessService } from './gen/claviger/v1/access_service_pb.js'
export { DomainService } from './gen/claviger/v1/domain_service_pb.js'
export { HistoryService } from './gen/claviger/v1/history_service_pb.js'
export { IdentityProviderService } from './gen/claviger/v1/identity_provider_service_pb.js'
export { ProjectGrantService } from './gen/claviger/v1/project_grant_service_pb.js'
export { ProjectRoleService } from './gen/claviger/v1/project_role_service_pb.js'
export { ProjectService } from './gen/claviger/v1/project_service_pb.js'
export { UserGrantService } from './gen/claviger/v1/user_grant_service_pb.js'
export { fetchHandler } from './http/fetch-handler.js'
export { type NodeHandler, nodeHandler } from './http/node/node-handler.js'
export type { NodeRequest } from './http/node/node-request.js'
export type { NodeResponse } from './http/node/node-response.js'
export type {
  OAuthFlow,
  OAuthFlows,
  OpenApiOptions,
  OpenApiServer,
  OpenApiVariable,
  SecurityScheme,
} from './openapi/openapi-options.js'
export type {
  Authentication,
  Failure,
  IdentityProviderTest,
  TestedIdentityProvider,
  TransportOptions,
} from './options.js'
export { connectRoutes } from './rpc/connect-routes.js'
