/** A strict reader of the markup that the reference may consist of; anything else in a page is an injection. */
const elements =
  "a body br code dd details div dl dt footer h1 h2 h3 h4 h5 h6 head header html li link main meta nav ol p pre section span strong style summary table tbody td th thead title tr ul wbr".split(
    " "
  )
const attributes =
  "aria-label aria-labelledby charset class content href id lang name open rel role scope tabindex".split(" ")

const address = /^(https?:\/\/|mailto:|#|\/(?!\/)|data:image\/svg)/i

/** Every tag of the page, in order; throws at the first one that is malformed or not allowed. */
export const tagsOf = (page: string): ReadonlyArray<string> => {
  const bare = page.replace(/<style>[^<]*<\/style>/, "").replace(/^<!doctype html>/i, "")
  return bare.split("<").flatMap((piece, index) => {
    if (index === 0) return []
    const [tag, slash = "", name = "", rest = ""] =
      /^(\/?)([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/.exec(piece) ?? []
    const allowed = [...rest.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].every(
      ([, attribute = "", value = ""]) =>
        attributes.includes(attribute) && (attribute !== "href" || address.test(value))
    )
    if (tag === undefined || !elements.includes(name) || !allowed) throw new Error(`Not ours: <${piece.slice(0, 80)}`)
    return [`${slash}${name}`]
  })
}

export const decodeEntities = (markup: string): string =>
  markup
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

/** What a reader sees, with runs of white space as one. */
export const textOf = (markup: string): string =>
  decodeEntities(
    markup
      .replace(/<style>[^<]*<\/style>/, "")
      .replace(/<wbr>/g, "")
      .replace(/<[^>]*>/g, " ")
  ).replace(/\s+/g, " ")
