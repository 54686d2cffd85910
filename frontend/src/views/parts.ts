import { livePart } from "./live/live";
import { modelPart } from "./model/model";
import type { PartMaker } from "./part";
import { recordingPart } from "./recording/recording";
import { reportPart } from "./report/report";
import { studyPart } from "./study/study";
import { trainingPart } from "./training/training";

/** What comes after the stops, in this order, by its id. */
export const parts: Record<string, PartMaker> = {
  training: trainingPart,
  live: livePart,
  study: studyPart,
  model: modelPart,
  recording: recordingPart,
  report: reportPart,
};
