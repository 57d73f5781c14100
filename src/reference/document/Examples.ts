/** The examples of a body, each with the words that name it. */
import { writeExact } from "./ExactJson.ts"
import type { Body } from "./Shape.ts"

export interface Example {
  readonly title: string
  readonly text: string
}

export const examplesOf = (body: Body | undefined): ReadonlyArray<Example> =>
  Object.values(body?.content ?? {}).flatMap(({ example, examples }) =>
    examples === undefined
      ? example === undefined
        ? []
        : [{ title: "Example", text: writeExact(example) }]
      : Object.entries(examples).map(([name, { summary, value }]) => ({
          title: summary ?? name,
          text: writeExact(value)
        }))
  )
