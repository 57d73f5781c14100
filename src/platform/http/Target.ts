/**
 * Every path has one spelling. What a proxy's rules and a reader of logs take for another path must not reach the same
 * route: the router itself would decode letters, cut at `;` and `#`, and take a whole URL for its path.
 */
const SEGMENT = /^(?:[\w.~!$&'()*+,=:@-]|%[\dA-Fa-f]{2})+$/
/** Letters, digits and `-._~` stand for themselves. */
const NEEDLESS = /%(?:2[DdEe]|3\d|4[1-9A-Fa-f]|5[\dAaFf]|6[1-9A-Fa-f]|7[\dAaEe])/

const isUtf8 = (segment: string): boolean => {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

const isCanonicalSegment = (segment: string): boolean =>
  SEGMENT.test(segment) &&
  segment !== "." &&
  segment !== ".." &&
  (!segment.includes("%") || (!NEEDLESS.test(segment) && isUtf8(segment)))

export const pathOf = (target: string): string => {
  const end = target.indexOf("?")
  return end === -1 ? target : target.slice(0, end)
}

/** A parameter may still hold any character that a URL has to escape. */
export const isCanonicalTarget = (target: string): boolean => {
  if (!target.startsWith("/") || target.includes("#")) return false
  const path = pathOf(target)
  return path === "/" || path.slice(1).split("/").every(isCanonicalSegment)
}
