/** Where a customer may be sent back to. */
import { Either } from "effect"

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"])

export const checkReturnUrl = (text: string, mode: "sandbox" | "live"): Either.Either<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return Either.left("must be an absolute URL, such as https://shop.example/thanks")
  if (url.username !== "" || url.password !== "") return Either.left("must not carry a user name or password")
  const local = mode === "sandbox" && url.protocol === "http:" && LOCAL.has(url.hostname)
  return url.protocol === "https:" || local ? Either.right(text) : Either.left("must start with https://")
}
