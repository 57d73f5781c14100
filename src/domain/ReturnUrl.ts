/** Where a customer may be sent back to. */
import { Either } from "effect"
import { givenUrl } from "./GivenUrl.ts"

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"])

export const checkReturnUrl = (text: string, mode: "sandbox" | "live"): Either.Either<string, string> =>
  Either.flatMap(givenUrl(text, "https://shop.example/thanks"), ({ hostname, protocol }) => {
    const local = mode === "sandbox" && protocol === "http:" && LOCAL.has(hostname)
    return protocol === "https:" || local ? Either.right(text) : Either.left("must start with https://")
  })
