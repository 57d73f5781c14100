/** A moment as a customer reads it, in the one time zone that is the same for all. */
import type { Words } from "./Words.ts"

const inUtc = (locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone: "UTC" })

const formats = { en: inUtc("en-GB"), fr: inUtc("fr-FR") } as const satisfies Record<Words["language"], unknown>

/** With the month as a word: a day and a month in figures are told apart differently here and there. */
export const timeText = (moment: Date, { language }: Pick<Words, "language">): string =>
  `${formats[language].format(moment)}\u00a0UTC`
