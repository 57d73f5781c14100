/** Whether it matters in which order the members of a union are asked. */
import { Option, SchemaAST as AST } from "effect"

/** At most one of them takes anything, since one of their fields has another literal in each. */
const areToldApart = (members: ReadonlyArray<AST.AST>): boolean => {
  const [first, ...others] = members.map(literalsOf)
  return Array.from(first ?? []).some(([name, literal]) => {
    const all = [literal, ...others.flatMap((fields) => (fields.has(name) ? [fields.get(name)] : []))]
    return new Set(all).size === members.length
  })
}

const literalsOf = (ast: AST.AST): ReadonlyMap<PropertyKey, unknown> =>
  new Map(
    AST.isTypeLiteral(ast)
      ? ast.propertySignatures.flatMap(({ isOptional, name, type }) =>
          AST.isLiteral(type) && !isOptional ? [[name, type.literal] as const] : []
        )
      : []
  )

/** Of either side, since it is the encoded one that the interpreter goes by when it decodes. */
const mayHaveLiterals = (ast: AST.AST): boolean => {
  switch (ast._tag) {
    case "TypeLiteral":
      return ast.propertySignatures.some(
        ({ type }) => AST.isLiteral(AST.encodedAST(type)) || AST.isLiteral(AST.typeAST(type))
      )
    case "TupleType":
      return ast.elements.length > 0
    case "Refinement":
      return mayHaveLiterals(ast.from)
    case "Transformation":
      return mayHaveLiterals(ast.from) || mayHaveLiterals(ast.to)
    case "Declaration":
      return Option.isSome(AST.getSurrogateAnnotation(ast))
    default:
      return AST.isSuspend(ast)
  }
}

const scalars: ReadonlySet<string> = new Set([
  "Literal",
  "UndefinedKeyword",
  "StringKeyword",
  "NumberKeyword",
  "BooleanKeyword"
])

const isScalar = (ast: AST.AST): boolean => (AST.isRefinement(ast) ? isScalar(ast.from) : scalars.has(ast._tag))

/**
 * The interpreter of schemas asks those first that have literals. To ask them as they stand is all the same where at most
 * one takes a value, or none has any.
 */
export const isAskedInOrder = (types: ReadonlyArray<AST.AST>): boolean => {
  const members = types.filter((type) => !isScalar(type))
  return members.length < 2 || areToldApart(members) || !members.some(mayHaveLiterals)
}
