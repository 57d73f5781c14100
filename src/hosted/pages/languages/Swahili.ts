/** Swahili texts of hosted pages. */
import type { PageText } from "./English.ts"

export const swahili: PageText = {
  language: "sw",
  direction: "ltr",
  groupSeparator: ",",
  decimalSeparator: ".",
  colon: ":",
  testMode: "Hali ya majaribio: hakuna pesa zinazohamishwa.",
  securedBy: "Ukurasa wa malipo wa Corridor",
  paymentTo: "Malipo kwa",
  description: "Maelezo",
  reference: "Kumbukumbu",
  checkTitle: "Thibitisha malipo yako",
  checkText: "Tafadhali hakiki maelezo kabla ya kulipa.",
  pay: (amount) => `Lipa ${amount}`,
  cancel: "Ghairi",
  cardTitle: "Lipa kwa kadi",
  cardText: "Maelezo ya kadi yako hutumwa kwa mtoa huduma ya malipo na hayahifadhiwi hapa.",
  cardElsewhere: "Utaingiza kadi yako kwenye ukurasa unaofuata, kwa mtoa huduma ya malipo.",
  cardFields: {
    number: "Nambari ya kadi",
    expiry: "Tarehe ya mwisho",
    cvv: "Msimbo wa usalama",
    holder: "Jina kwenye kadi"
  },
  cardHints: { number: "", expiry: "MM/YY", cvv: "Tarakimu 3 au 4", holder: "" },
  cardProblems: {
    number: "Hakiki nambari ya kadi: kuna tarakimu inayokosekana au iliyokosewa.",
    expiry: "Weka tarehe ya mwisho ambayo haijapita, kwa mfano 09/30.",
    cvv: "Weka tarakimu 3 au 4 zilizochapishwa kwenye kadi.",
    holder: "Weka jina kama lilivyo kwenye kadi."
  },
  notNow: "Malipo hayawezekani kwa sasa. Hujatozwa chochote. Tafadhali jaribu tena baada ya dakika chache.",
  waitingTitle: "Malipo yako yanashughulikiwa",
  waitingText: (merchant) =>
    `Ukurasa huu hujisasisha wenyewe na utaendelea matokeo yakijulikana. ${merchant} atajulishwa hata ukiufunga. Tafadhali usilipe tena.`,
  unpaidTitle: "Malipo yako bado hayajakamilika",
  unpaidText:
    "Endelea kwenye ukurasa wa mtoa huduma ya malipo. Ikiwa umelipa huko sasa hivi, subiri: ukurasa huu hujisasisha wenyewe.",
  completedTitle: "Malipo yamekamilika",
  completedText: (merchant) => `Asante. ${merchant} amejulishwa.`,
  failedTitle: "Malipo hayakukamilika",
  failedText: (merchant) => `Malipo hayakufanikiwa. Ili kujaribu tena, rudi kwa ${merchant}.`,
  canceledTitle: "Malipo yameghairiwa",
  canceledText: (merchant) => `Malipo haya yameghairiwa. Ili kulipa, rudi kwa ${merchant}.`,
  refundedTitle: "Malipo yamerejeshwa",
  refundedText: (merchant) => `${merchant} amekurejeshea malipo haya.`,
  leavingText: (merchant) => `Unaelekezwa kwa ${merchant}.`,
  continue: "Endelea",
  closeThis: "Unaweza kufunga ukurasa huu.",
  notFoundTitle: "Ukurasa haupatikani",
  notFoundText: "Kiungo hiki cha malipo si sahihi. Hakikisha kiungo kimekamilika, au mwombe aliyekutumia kiungo kipya.",
  refusedTitle: "Fomu si sahihi",
  refusedText: "Hujatozwa chochote. Rudi kwenye ukurasa wa malipo ujaribu tena.",
  ownName: "Kiswahili",
  languageLabel: "Lugha",
  behind: (organization) => `Inalipwa kwa ${organization}`,
  receives: (merchant) => `${merchant} anapokea`,
  date: "Tarehe",
  paidBy: "Njia ya malipo",
  methodNames: { mobile_money: "Pesa kwa simu", card: "Kadi", bank_transfer: "Uhamisho wa benki" },
  backTo: (merchant) => `Rudi kwa ${merchant}`,
  mailReceipt: "Nitumie risiti hii kwa barua pepe",
  receiptSent: (address) => `Risiti imetumwa kwa ${address}.`,
  receiptFailed: "Risiti haikuweza kutumwa. Tafadhali jaribu tena baada ya dakika moja.",
  receiptSubject: (amount, merchant) => `Risiti: ${amount} kwa ${merchant}`,
  receiptText: (amount, merchant) => `Umelipa ${amount} kwa ${merchant}.`,
  link: {
    title: "Ungependa kulipa vipi?",
    methodsLabel: "Njia ya malipo",
    fields: {
      amount: "Kiasi",
      name: "Jina lako",
      email: "Barua pepe",
      phone: "Nambari ya simu",
      network: "Mtandao",
      bank_name: "Benki yako",
      account_number: "Nambari ya akaunti yako"
    },
    emailOptional: "Si lazima, kwa ajili ya risiti",
    mobilePhone: "Nambari ya pesa kwa simu",
    payerAccount: "Jina la mwenye akaunti",
    amountHint: (currency) => `Kwa ${currency}`,
    mobilePhoneHint: "Utathibitisha malipo kwenye simu hii",
    problems: {
      amount: "Weka kiasi kinachozidi sifuri, kwa mfano 1500.00.",
      name: "Weka jina.",
      email: "Weka barua pepe, kwa mfano ada@example.com.",
      phone: "Weka nambari ya simu yenye msimbo wa nchi, kwa mfano +254712345678, au kama unavyoipiga nchini.",
      network: "Chagua mtandao wa simu yako.",
      bank_name: "Weka jina la benki unayolipia.",
      account_number: "Weka nambari ya akaunti unayolipia."
    },
    choose: "Chagua",
    checkFields: "Hujatozwa chochote. Tafadhali hakiki sehemu zilizowekwa alama.",
    repriced: (amount) =>
      `Kiwango cha ubadilishaji kimebadilika: kiasi sasa ni ${amount}. Hujatozwa chochote. Tafadhali hakiki kiasi kisha ulipe tena.`,
    noRoute: "Njia hii haiwezi kupokea kiasi hiki kwa sasa. Hujatozwa chochote. Jaribu kiasi au njia nyingine.",
    promptedTooOften:
      "Nambari hii imetumiwa maombi mengi mno ya malipo. Hujatozwa chochote. Jaribu tena baadaye, au lipa kwa njia nyingine.",
    slowDown: "Umejaribu mara nyingi mno. Hujatozwa chochote. Tafadhali subiri dakika moja ujaribu tena.",
    payChosen: "Lipa",
    rate: "Kiwango cha ubadilishaji",
    rateFor: (rate, minutes) => (minutes < 1 ? `${rate}, kwa chini ya dakika moja` : `${rate}, kwa dakika ${minutes}`),
    waitingText: (merchant) =>
      `Ukurasa huu hujisasisha wenyewe. ${merchant} atajulishwa hata ukiufunga. Tafadhali usilipe tena.`,
    againText: "Malipo hayakufanikiwa. Unaweza kujaribu tena au kulipa kwa njia nyingine.",
    canceledText: "Malipo haya yameghairiwa. Unaweza kujaribu tena au kulipa kwa njia nyingine.",
    again: "Jaribu tena",
    otpTitle: "Weka msimbo",
    otpText: "Mtoa huduma ya malipo ametuma msimbo wa matumizi ya mara moja kwenye simu yako.",
    otp: "Msimbo wa mara moja",
    otpProblem: "Msimbo si sahihi. Baada ya majaribio 5 malipo yanaghairiwa.",
    otpSend: "Thibitisha",
    otpResend: "Tuma msimbo mpya",
    transferTitle: "Fanya uhamisho",
    transferText:
      "Tuma kiasi hiki kamili kwenye akaunti iliyo hapa chini, pamoja na kumbukumbu. Ukurasa huu hujisasisha wenyewe.",
    instructions: {
      account_name: "Jina la akaunti",
      account_number: "Nambari ya akaunti",
      bank_name: "Benki",
      bank_code: "Msimbo wa benki",
      reference: "Kumbukumbu",
      expires_at: "Lipa kabla ya"
    },
    onwardTitle: "Hatua moja zaidi",
    onwardText: "Unaelekezwa ili kuthibitisha malipo.",
    takenTitle: "Malipo yanaendelea",
    takenText:
      "Kiungo hiki hupokea malipo mamoja kwa wakati. Ikiwa uliyaanzisha wewe, endelea kwenye kivinjari kilekile.",
    takenUntil: (time) => `Malipo yasipokamilika, kiungo kinaweza kutumika tena kuanzia ${time}.`,
    cancelRefused: "Malipo hayawezi kughairiwa tena. Tafadhali subiri matokeo.",
    resentTooOften: "Misimbo mingi mno imetumwa. Tumia ya mwisho, au jaribu tena baada ya saa moja.",
    closed: {
      paid: { title: "Tayari kimelipwa", text: "Kiungo hiki cha malipo kimeshalipwa." },
      canceled: {
        title: "Hakipatikani tena",
        text: "Kiungo hiki cha malipo kimeghairiwa. Ili kulipa, mwombe aliyekutumia kiungo kipya."
      },
      expired: { title: "Muda wa kiungo umeisha", text: "Ili kulipa, mwombe aliyekutumia kiungo kipya." }
    },
    notNowTitle: "Haipatikani kwa sasa"
  }
}
