/** How a server of the benchmark is called. */
export type Protocol = 'rest' | 'connect' | 'grpc'

/** Who answers: we, a route by hand on the same `iam`, or one of the bare peers. */
export type Server =
  | 'claviger'
  | 'route by hand'
  | 'Fastify and zod'
  | 'Hono and zod'
  | 'ConnectRPC'

/** What it is asked to do: add a role, or show a project. */
export type Operation = 'post' | 'get'

/** What a host of the benchmark knows its caller by. */
export const TOKEN = 'Bearer token'

/** The path of an rpc. */
export const rpcPath = (operation: Operation): string =>
  operation === 'post'
    ? '/claviger.v1.ProjectRoleService/AddProjectRole'
    : '/claviger.v1.ProjectService/GetProject'
