import {
  script
} from "./lib/shared.js";

var { options, setup, iteration, handleSummary } = script("load");
var load_default = iteration;
export {
  load_default as default,
  handleSummary,
  options,
  setup
};
