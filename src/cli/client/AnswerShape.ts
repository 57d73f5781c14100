/**
 * What is needed of a value, so that whoever reads it finds what it looks for. 0: it is there, be it null; 1: and is not
 * null. Of an object what its fields need, of a list what each of its items needs.
 */
export type Shape = 0 | 1 | readonly [Shape] | { readonly [name: string]: Shape }

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

export const fits = (shape: Shape, value: unknown): boolean => {
  if (shape === 0) return value !== undefined
  if (value === undefined || value === null) return false
  if (shape === 1) return true
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(shape[0], item))
  const fields = value as Readonly<Record<string, unknown>>
  return typeof value === "object" && Object.entries(shape).every(([name, needed]) => fits(needed, fields[name]))
}
