/** What cannot be a credential, since something was copied along with it: no header could carry it. */
import { Option } from "effect"

/** Each by what it is called where it was given: `--api-key`, or CORRIDOR_TOKEN. */
export interface GivenCredential {
  readonly from: string
  readonly kind: "API key" | "token"
  readonly value: string
}

const VISIBLE = /^[!-~]$/

const nameOf = (character: string): string => {
  if (/[\r\n]/.test(character)) return "a line break"
  if (character === " ") return "a space"
  return /\p{Cc}/u.test(character) ? "a control character" : "a character that is not ASCII"
}

/** It says where to look, and not what stands there. */
export const credentialProblem = ({ from, kind, value }: GivenCredential): Option.Option<string> => {
  const characters = Array.from(value)
  const at = characters.findIndex((one) => !VISIBLE.test(one))
  return at === -1
    ? Option.none()
    : Option.some(
        `${from} holds ${nameOf(characters[at]!)} (character ${at + 1} of ${characters.length}), which no ${kind} has. Copy it again, without what stands around it.`
      )
}
