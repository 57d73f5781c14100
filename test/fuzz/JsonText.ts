/** Writes JSON that no serializer writes: the text of a `Literal` is sent as it is. */
export class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An object that may repeat a name. */
export class Fields {
  readonly entries: ReadonlyArray<readonly [string, unknown]>

  constructor(entries: ReadonlyArray<readonly [string, unknown]>) {
    this.entries = entries
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const written = (value: unknown): string => {
  if (value instanceof Literal) return value.text
  if (value instanceof Fields) return object(value.entries)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  return isRecord(value) ? object(Object.entries(value)) : (JSON.stringify(value) ?? "null")
}

const object = (entries: ReadonlyArray<readonly [string, unknown]>): string =>
  `{${entries
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`)
    .join(",")}}`

export type Place = ReadonlyArray<string | number>

/** All paths in a value, itself first. */
export const placesIn = (value: unknown, at: Place = []): ReadonlyArray<Place> => {
  if (Array.isArray(value)) return [at, ...value.flatMap((one, index) => placesIn(one, [...at, index]))]
  if (!isRecord(value)) return [at]
  return [at, ...Object.entries(value).flatMap(([name, one]) => placesIn(one, [...at, name]))]
}

/** Replaces the value at a path. */
export const changedAt = (value: unknown, [step, ...rest]: Place, change: (old: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((one, index) => (index === step ? changedAt(one, rest, change) : one))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === step ? changedAt(one, rest, change) : one])
  )
}
