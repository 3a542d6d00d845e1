export { ObjectInput } from '../domain/kinds.js'
