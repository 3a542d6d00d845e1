/** How a server of the benchmark is called. */
export type Protocol = 'rest' | 'connect' | 'grpc-web'

/** The server: ours, one that a host writes on the same library, or one without it. */
export type Server = 'claviger' | 'Fastify by hand on claviger' | 'bare Fastify' | 'bare ConnectRPC'

/** What it is asked to do: add a role, or show a project. */
export type Operation = 'post' | 'get'

/** What a host of the benchmark knows its caller by. */
export const TOKEN = 'Bearer token'
