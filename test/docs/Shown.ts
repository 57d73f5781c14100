/** Whether what a page shows is what came: the page may leave fields out, and has other ids and times. */
const changing = [/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isAsShown = (shown: unknown, came: unknown): boolean => {
  if (Array.isArray(shown)) {
    if (!Array.isArray(came)) return false
    const left = [...(came as ReadonlyArray<unknown>)]
    // In the same order, though there may be more between them; nothing shown means that there is nothing.
    return shown.length === 0
      ? left.length === 0
      : shown.every((one) => {
          const at = left.findIndex((other) => isAsShown(one, other))
          if (at >= 0) left.splice(0, at + 1)
          return at >= 0
        })
  }
  if (isObject(shown)) {
    return isObject(came) && Object.entries(shown).every(([key, value]) => key in came && isAsShown(value, came[key]))
  }
  const pattern = typeof shown === "string" ? changing.find((one) => one.test(shown)) : undefined
  return pattern === undefined ? shown === came : typeof came === "string" && pattern.test(came)
}

/** Every JSON object that stands in a text, one behind the other or among other words. */
export const objectsIn = (text: string): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  let depth = 0
  let start = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign === "\\") at++
      else if (sign === '"') quoted = false
    } else if (sign === '"' && depth > 0) quoted = true
    else if (sign === "{" && depth++ === 0) start = at
    else if (sign === "}" && depth > 0 && --depth === 0) {
      try {
        found.push(JSON.parse(text.slice(start, at + 1)))
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error
      }
    }
  }
  return found
}
