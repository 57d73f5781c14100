/** What is said of an answer that Corridor would not give: something else listens there, or answers in its place. */
import { Option } from "effect"
import { parse } from "lossless-json"

const kindOf = (text: string): string => {
  if (text.trim() === "") return "nothing"
  if (/^\s*</.test(text)) return "an HTML page"
  return Option.isNone(Option.liftThrowable(() => parse(text))()) ? "no JSON" : "JSON of another kind"
}

/** `asked`: method and path. */
export const oddAnswerOf = (root: string, asked: string, status: number, text: string): string =>
  `${root} answered ${asked} with status ${status} and ${kindOf(text)}, which is not how Corridor answers`
