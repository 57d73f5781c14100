/** `--events`, several times or with commas between the types. */
import { Options } from "@effect/cli"

export const eventList = (description: string) =>
  Options.text("events").pipe(
    Options.withPseudoName("TYPES"),
    Options.withDescription(description),
    Options.repeated,
    Options.map((given) =>
      given
        .flatMap((text) => text.split(","))
        .map((type) => type.trim())
        .filter((type) => type !== "")
    )
  )
