/** Descriptions that Effect generates for its own schemas and checks. */
const generated =
  /^(a|an) (string|number|integer|array|non empty string|non-negative|positive|bigint|boolean|date)\b|^an? \w+ (matching|between|at most|at least|that will)/

const generatedTitle = /^(unknown|int|nonEmptyString|\w+\(.*\))$/

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isGenerated = (key: string, value: unknown): boolean =>
  (key === "$id" && typeof value === "string" && value.startsWith("/schemas/")) ||
  (key === "title" && typeof value === "string" && generatedTitle.test(value)) ||
  (key === "description" && typeof value === "string" && generated.test(value))

/** Examples are left unchanged. */
const isExample = (key: string): boolean => key === "example" || key === "examples"

export const withoutGenerated = <A>(node: A): A => {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, child]) => !isGenerated(key, child))
        .map(([key, child]) => [key, isExample(key) ? child : clean(child)])
    )
  }
  return clean(node) as A
}
