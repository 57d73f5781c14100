/** Addresses of PostgreSQL as its own programs write them: with several hosts, of which one is the primary at a time. */
import { Either, Redacted } from "effect"
import { urlOf } from "../../domain/Url.ts"

const FORM = "expected a URL that starts with postgres:// or postgresql://"

const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([^]*)$/

/** Ignored: the primary is always looked for. */
const ATTRIBUTES = "target_session_attrs"

/** URLs of the hosts, in order. Reasons for a refusal repeat no text, which may hold a password. */
export const databaseHosts = (text: string): Either.Either<ReadonlyArray<string>, string> => {
  const [, before, hosts, after] = parts.exec(text.trim().replace(/\/+$/, "")) ?? []
  if (before === undefined || hosts === undefined || after === undefined) return Either.left(FORM)
  const urls = hosts.split(",").map((host) => `${before}${host}${after}`)
  if (urls.some((one) => urlOf(one) === undefined) || (urls.length > 1 && hosts.split(",").includes(""))) {
    return Either.left("expected a host, or several with commas between them, each with its port")
  }
  const wanted = new URL(urls[0]!).searchParams.get(ATTRIBUTES)
  if (wanted !== null && !["read-write", "primary", "any"].includes(wanted)) {
    return Either.left(`${ATTRIBUTES} may be read-write: nothing can be done on another server`)
  }
  return Either.right(
    urls.map((one) => {
      const url = new URL(one)
      url.searchParams.delete(ATTRIBUTES)
      return url.toString()
    })
  )
}

/** The same for a setting, which was checked when it was read. */
export const hostsOf = (url: Redacted.Redacted): ReadonlyArray<string> =>
  Either.getOrElse(databaseHosts(Redacted.value(url)), () => [Redacted.value(url)])

/** For the parts that all hosts share: role and database. */
export const firstHost = (text: string): URL =>
  new URL(Either.match(databaseHosts(text), { onLeft: () => text, onRight: ([first]) => first ?? text }))
