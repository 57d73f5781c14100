/** Tells answers of Corridor from those of other servers, by the fields that the contract promises. The build replaces this file by its table. */
import { HttpApi } from "@effect/platform"
import { Option, SchemaAST } from "effect"
import { Api } from "../../contract/api/Api.ts"

/** 0: the value is there, perhaps null. 1: it is there and not null. Otherwise shapes of its fields or of its items. */
export type Shape = 0 | 1 | readonly [Shape] | { readonly [name: string]: Shape }

const isObject = (shape: Shape): shape is { readonly [name: string]: Shape } =>
  typeof shape === "object" && !Array.isArray(shape)

/** The fields that all shapes have. */
const common = (shapes: ReadonlyArray<Shape>): Shape => {
  if (shapes.includes(0)) return 0
  if (!shapes.every(isObject)) return shapes.length === 1 ? shapes[0]! : 1
  const [first = {}, ...others] = shapes
  const shared = Object.keys(first).filter((name) => others.every((other) => Object.hasOwn(other, name)))
  return Object.fromEntries(shared.map((name) => [name, common(shapes.map((one) => one[name]!))]))
}

/** Shape of the encoded value. Texts and numbers are not checked: another version may know other values. */
const shapeOf = (ast: SchemaAST.AST): Shape => {
  switch (ast._tag) {
    case "TypeLiteral":
      return Object.fromEntries(
        ast.propertySignatures.flatMap(({ isOptional, name, type }) =>
          isOptional ? [] : [[String(name), shapeOf(type)] as const]
        )
      )
    case "TupleType":
      return ast.rest.length === 1 ? [shapeOf(ast.rest[0]!.type)] : 1
    case "Union":
      return common(ast.types.map(shapeOf))
    case "Literal":
      return ast.literal === null ? 0 : 1
    case "AnyKeyword":
    case "UnknownKeyword":
    case "UndefinedKeyword":
      return 0
    default:
      return 1
  }
}

/** By `group.name`; none for operations without a body. */
export const answerShapes: Readonly<Record<string, Shape>> = (() => {
  const all: Record<string, Shape> = {}
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, successes }) => {
      const bodies = Option.all(Array.from(successes.values(), ({ ast }) => ast))
      if (Option.isNone(bodies)) return
      all[`${group.identifier}.${endpoint.name}`] = common(
        bodies.value.map((ast) => shapeOf(SchemaAST.encodedAST(ast)))
      )
    }
  })
  return all
})()
