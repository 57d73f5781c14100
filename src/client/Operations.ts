/** The operations as requests need them, and which of them are safe to repeat. */
import { operations } from "./Declared.ts"

const shapeOf = (path: string): RegExp => new RegExp(`${path.replace(/:[a-z_]+/g, "[^/]+")}$`)

const keyedShapes = operations.filter(({ keyed }) => keyed).map(({ path }) => shapeOf(path))

/** By the address of a request, since that is all that a request tells of its operation. */
export const isKeyed = (method: string, url: string): boolean =>
  method === "POST" && keyedShapes.some((shape) => shape.test(url.split(/[?#]/, 1)[0]!))
