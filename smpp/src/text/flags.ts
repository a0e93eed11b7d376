// Everything that can be unusual in a message body, each with a sentence for the operator. A flag never rejects a
// message: the octets are stored as received, only the decoded text is imperfect.

/** The meaning of each flag, for people. */
export const flagMeanings = {
  not_gsm7: 'The text holds octets outside the GSM 7-bit alphabet.',
  lone_escape: 'A GSM escape character stands without a character after it.',
  unknown_escape: 'A GSM escape sequence is not in the extension table; the base character is shown.',
  packed_end_unclear: 'The packed text ends in seven zero bits: an @ or padding. It was read as padding.',
  odd_length: 'The UCS-2 text has an odd number of octets.',
  lone_surrogate: 'The UCS-2 text holds half of a surrogate pair.',
  byte_order_mark: 'The UCS-2 text began with a byte order mark.',
  little_endian: 'The UCS-2 text was sent in little-endian order.',
  not_ascii: 'The text holds octets above 127, which its data_coding does not have.',
  c1_control: 'The Latin-1 text holds control codes between 128 and 159.',
  windows_1252: 'The Latin-1 text holds octets between 128 and 159; they were read as Windows-1252.',
  unassigned_code: 'The text holds octets that its character set leaves unassigned.',
  nul: 'The text holds NUL characters.',
  latin1_undeclared: 'The text is Latin-1, which data_coding did not announce.',
  utf8_undeclared: 'The text is UTF-8, which data_coding did not announce.',
  unknown_data_coding: 'The data_coding is reserved or not supported; the octets are shown in hexadecimal.',
  reserved_data_coding:
    'The data_coding is a GSM value that SMPP 3.4 reserves; it was read as GSM 03.38 says.',
  bad_udh: 'The user data header is damaged; the message is kept as a single one.',
  bad_information_element: 'An element of the user data header has the wrong length and was ignored.',
  part_out_of_range:
    'The part number is zero or above the number of parts; the message is kept as a single one.',
  unknown_language: 'The header names a national language that has no such table; the default one was used.',
  sar_incomplete: 'Some of the three sar_ parameters are missing; they were ignored.',
  sar_udh_disagree: 'The sar_ parameters and the user data header differ; the header was used.',
  repeated_part: 'This part has come before.',
  parts_missing: 'Some parts of the message have not come.',
} as const

export type TextFlag = keyof typeof flagMeanings

/** Text decoded from octets, and what was unusual in them. */
export interface DecodedText {
  readonly text: string
  readonly flags: readonly TextFlag[]
}

/** The flags of several steps as one list, each once, in the order of first appearance. */
export function mergeFlags(...lists: readonly (readonly TextFlag[])[]): TextFlag[] {
  return [...new Set(lists.flat())]
}
