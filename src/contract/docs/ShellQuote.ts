/** Words of a POSIX shell command line. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Text around a variable that the reader has to set: only the variable is left for the shell to fill in. */
export const shellTemplate = (parts: ReadonlyArray<string | { readonly variable: string }>): string =>
  parts
    .filter((part) => part !== "")
    .map((part) => (typeof part === "string" ? shellQuote(part) : `"$${part.variable}"`))
    .join("")

export const shellVariable = (name: string): { readonly variable: string } => ({
  variable: name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9_]/g, "_")
    .replace(/^(?=\d|$)/, "_")
    .toUpperCase()
})
