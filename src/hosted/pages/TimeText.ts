/** A moment as a customer reads it, in the one time zone that is the same for all. */
export const timeText = (moment: Date): string => {
  const [day = "", time = ""] = moment.toISOString().split("T")
  return `${day} ${time.slice(0, 5)} UTC`
}
