/**
 * Compiles schemas of requests and rows to plain functions, which take a fifth of the interpreter's time. A function that
 * finds a problem, or meets a kind of schema that it does not know, returns `UNSURE`; then the interpreter decides.
 */
import { type Effect, Either, Option, ParseResult, Predicate, Schema, SchemaAST as AST } from "effect"

const literalsOf = (ast: AST.AST): ReadonlyMap<PropertyKey, unknown> =>
  new Map(
    AST.isTypeLiteral(ast)
      ? ast.propertySignatures.flatMap(({ isOptional, name, type }) =>
          AST.isLiteral(type) && !isOptional ? [[name, type.literal] as const] : []
        )
      : []
  )

const scalars: ReadonlySet<string> = new Set([
  "Literal",
  "UndefinedKeyword",
  "StringKeyword",
  "NumberKeyword",
  "BooleanKeyword"
])

const isScalar = (ast: AST.AST): boolean => (AST.isRefinement(ast) ? isScalar(ast.from) : scalars.has(ast._tag))

/**
 * Whether at most one member takes a value, because they have different literals in one field. Then order does not
 * matter; the interpreter tries members with literals first.
 */
const areToldApart = (types: ReadonlyArray<AST.AST>): boolean => {
  const members = types.filter((type) => !isScalar(type))
  const [first, ...others] = members.map(literalsOf)
  const isDiscriminator = ([name, literal]: readonly [PropertyKey, unknown]) =>
    new Set([literal, ...others.flatMap((fields) => (fields.has(name) ? [fields.get(name)] : []))]).size ===
    members.length
  return members.length < 2 || Array.from(first ?? []).some(isDiscriminator)
}

const UNSURE = Symbol("unsure")

type Step = (input: unknown) => unknown
type Direction = "decode" | "encode"

const when =
  (holds: (input: unknown) => boolean): Step =>
  (input) =>
    holds(input) ? input : UNSURE

const settled = (result: Effect.Effect<unknown, unknown, unknown>): unknown =>
  Either.isEither(result) && Either.isRight(result) ? result.right : UNSURE

const interpreted = (ast: AST.AST, direction: Direction): Step => {
  const schema = Schema.make<unknown, unknown, never>(ast)
  const run = direction === "decode" ? ParseResult.decodeUnknownEither(schema) : ParseResult.encodeUnknownEither(schema)
  return (input) => settled(run(input))
}

const withoutFilters = (ast: AST.AST): AST.AST => (AST.isRefinement(ast) ? withoutFilters(ast.from) : ast)

const refinement = (ast: AST.Refinement, direction: Direction): Step => {
  if (direction === "encode") {
    const check = compile(AST.typeAST(ast), "decode")
    const encode = compile(withoutFilters(ast.from), "encode")
    return (input) => {
      const checked = check(input)
      return checked === UNSURE ? UNSURE : encode(checked)
    }
  }
  const from = compile(ast.from, "decode")
  return (input) => {
    const value = from(input)
    return value === UNSURE || Option.isSome(ast.filter(value, {}, ast)) ? UNSURE : value
  }
}

const renamed = ({ propertySignatureTransformations }: AST.TypeLiteralTransformation, direction: Direction) => {
  const all = propertySignatureTransformations.map(({ decode, encode, from, to }) =>
    direction === "decode" ? { from, to, change: decode } : { from: to, to: from, change: encode }
  )
  return (fresh: unknown): unknown => {
    const object = fresh as Record<PropertyKey, unknown>
    for (const { change, from, to } of all) {
      const value = change(Object.hasOwn(object, from) ? Option.some(object[from]) : Option.none())
      delete object[from]
      if (Option.isSome(value)) object[to] = value.value
    }
    return object
  }
}

const transformation = (ast: AST.Transformation, direction: Direction): Step => {
  const [first, last] = direction === "decode" ? [ast.from, ast.to] : [ast.to, ast.from]
  const from = compile(first, direction)
  const to = compile(last, direction)
  const change = ((): ((value: unknown, input: unknown) => unknown) => {
    const kind = ast.transformation
    if (kind._tag === "ComposeTransformation") return (value) => value
    if (kind._tag === "TypeLiteralTransformation") return renamed(kind, direction)
    return (value, input) => settled(kind[direction](value, {}, ast, input))
  })()
  return (input) => {
    const value = from(input)
    const changed = value === UNSURE ? UNSURE : change(value, input)
    return changed === UNSURE ? UNSURE : to(changed)
  }
}

const declaration = (ast: AST.Declaration, direction: Direction): Step => {
  const parse =
    direction === "decode" ? ast.decodeUnknown(...ast.typeParameters) : ast.encodeUnknown(...ast.typeParameters)
  return (input) => settled(parse(input, {}, ast))
}

const list = (element: AST.AST, direction: Direction): Step => {
  const step = compile(element, direction)
  return (input) => {
    if (!Array.isArray(input)) return UNSURE
    const output: Array<unknown> = []
    for (const one of input) {
      const value = step(one)
      if (value === UNSURE) return UNSURE
      output.push(value)
    }
    return output
  }
}

/**
 * Compiles a struct to code. An object written as one expression is made and read several times as fast as one with
 * computed names.
 */
const struct = (ast: AST.TypeLiteral, direction: Direction): Step => {
  const { propertySignatures } = ast
  if (propertySignatures.some(({ name }) => typeof name === "symbol" || name === "__proto__")) {
    return interpreted(ast, direction)
  }
  const fields = propertySignatures.map(({ isOptional, name }, n) => {
    const key = JSON.stringify(name)
    return { isOptional, key, decode: `const v${n} = step${n}(input[${key}]); if (v${n} === UNSURE) return UNSURE;`, n }
  })
  const optional = fields.findIndex(({ isOptional }) => isOptional)
  const first = optional === -1 ? fields : fields.slice(0, optional)
  const rest = fields.slice(first.length).map(({ decode, isOptional, key, n }) => {
    const field = `${decode} output[${key}] = v${n};`
    return isOptional ? `if (Object.hasOwn(input, ${key})) { ${field} }` : field
  })
  const text = [
    ...fields.map(({ n }) => `const step${n} = steps[${n}];`),
    "return (input) => {",
    "if (!isRecord(input)) return UNSURE;",
    ...first.map(({ decode }) => decode),
    `const output = { ${first.map(({ key, n }) => `${key}: v${n}`).join(", ")} };`,
    ...rest,
    "return output; }"
  ].join("\n")
  const steps = propertySignatures.map(({ type }) => compile(type, direction))
  return new Function("steps", "UNSURE", "isRecord", text)(steps, UNSURE, Predicate.isRecord) as Step
}

/** A field `__proto__` would be lost; no JSON from outside has one. */
const isPlain = (input: object): boolean =>
  Object.getPrototypeOf(input) === Object.prototype && !Object.hasOwn(input, "__proto__")

const dictionary = (element: AST.AST, direction: Direction): Step => {
  const step = compile(element, direction)
  const mayStay = AST.isUnknownKeyword(element)
  return (input) => {
    if (!Predicate.isRecord(input)) return UNSURE
    if (mayStay && isPlain(input)) return input
    const output: Record<string, unknown> = {}
    for (const name of Object.keys(input)) {
      const value = step(input[name])
      if (value === UNSURE) return UNSURE
      output[name] = value
    }
    return output
  }
}

const object = (ast: AST.TypeLiteral, direction: Direction): Step => {
  const { indexSignatures, propertySignatures } = ast
  const [signature] = indexSignatures
  if (signature === undefined) {
    return propertySignatures.length === 0 ? when(Predicate.isNotNullable) : struct(ast, direction)
  }
  const isDictionary = indexSignatures.length === 1 && propertySignatures.length === 0
  return isDictionary && AST.isStringKeyword(signature.parameter)
    ? dictionary(signature.type, direction)
    : interpreted(ast, direction)
}

const union = (ast: AST.Union, direction: Direction): Step => {
  const { types } = ast
  const literals = types.filter(AST.isLiteral)
  if (literals.length === types.length) {
    const known: ReadonlySet<unknown> = new Set(literals.map(({ literal }) => literal))
    return when((input) => known.has(input))
  }
  if (!areToldApart(types)) return interpreted(ast, direction)
  const steps = types.map((type) => compile(type, direction))
  return (input) => {
    for (const step of steps) {
      const value = step(input)
      if (value !== UNSURE) return value
    }
    return UNSURE
  }
}

const primitives: Readonly<Record<string, Step>> = {
  UndefinedKeyword: when(Predicate.isUndefined),
  NeverKeyword: () => UNSURE,
  UnknownKeyword: (input) => input,
  AnyKeyword: (input) => input,
  VoidKeyword: (input) => input,
  StringKeyword: when(Predicate.isString),
  NumberKeyword: when(Predicate.isNumber),
  BooleanKeyword: when(Predicate.isBoolean)
}

const compileFresh = (ast: AST.AST, direction: Direction): Step => {
  const hasOwnWay =
    Option.isSome(AST.getParseOptionsAnnotation(ast)) || Option.isSome(AST.getDecodingFallbackAnnotation(ast))
  if (hasOwnWay) return interpreted(ast, direction)
  switch (ast._tag) {
    case "Refinement":
      return refinement(ast, direction)
    case "Transformation":
      return transformation(ast, direction)
    case "Declaration":
      return declaration(ast, direction)
    case "Literal":
      return when((input) => input === ast.literal)
    case "TupleType": {
      const [element] = ast.rest
      return element === undefined || ast.rest.length > 1 || ast.elements.length > 0
        ? interpreted(ast, direction)
        : list(element.type, direction)
    }
    case "TypeLiteral":
      return object(ast, direction)
    case "Union":
      return union(ast, direction)
    case "Suspend": {
      let step: Step | undefined
      return (input) => (step ??= compile(ast.f(), direction))(input)
    }
    default:
      return primitives[ast._tag] ?? interpreted(ast, direction)
  }
}

const compiled = { decode: new WeakMap<AST.AST, Step>(), encode: new WeakMap<AST.AST, Step>() }

const compile = (ast: AST.AST, direction: Direction): Step => {
  const existing = compiled[direction].get(ast)
  if (existing !== undefined) return existing
  const fresh = compileFresh(ast, direction)
  compiled[direction].set(ast, fresh)
  return fresh
}

type Parsed<A> = Either.Either<A, ParseResult.ParseIssue>

/** Made at the first use: most schemas of a process are never used. */
const lazy = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

/** Compiled `ParseResult.decodeUnknownEither`. */
export const compileDecoder = <A, I>(
  schema: Schema.Schema<A, I>,
  options?: Pick<AST.ParseOptions, "errors">
): ((input: unknown) => Parsed<A>) => {
  const decoder = lazy(() => compile(schema.ast, "decode"))
  const interpreter = lazy(() => ParseResult.decodeUnknownEither(schema, options))
  return (input) => {
    const value = decoder()(input)
    return value === UNSURE ? interpreter()(input) : Either.right(value as A)
  }
}

/** Compiled `ParseResult.encodeUnknownSync`. */
export const compileEncoder = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => I) => {
  const encoder = lazy(() => compile(schema.ast, "encode"))
  const interpreter = lazy(() => ParseResult.encodeUnknownSync(schema))
  return (value) => {
    const encoded = encoder()(value)
    return encoded === UNSURE ? interpreter()(value) : (encoded as I)
  }
}
