// SPDX-License-Identifier: MIT
// The generated cases of audit.
#include "src/cli/audit.h"

namespace plait::cli {
namespace {

const std::vector<const char *> kPre = {"T=5,H=360",
                                        "T=3,H=1,n=1",
                                        "T=17,H=1280,n=2,iters=1",
                                        "T=7,H=8,n=3",
                                        "T=4,H=129,n=8",
                                        "T=16,H=360,dtype=f16",
                                        "T=9,H=1000,dtype=f32",
                                        "T=5,H=360,fn=bf16",
                                        "T=5,H=360,fn=f16",
                                        "T=6,H=520,norm=1",
                                        "T=6,H=520,collapse=delayed",
                                        "T=6,H=520,collapse=stream0,norm=1",
                                        "T=6,H=520,broadcast=1",
                                        "T=8,H=512,data=large",
                                        "T=8,H=512,data=tiny",
                                        "T=8,H=512,data=zero",
                                        "T=65,H=4096",
                                        "T=3,H=7168",
                                        "T=2,H=5120,norm=1,collapse=delayed",
                                        "T=2,H=6144,iters=2"};

const std::vector<const char *> kPost = {"T=5,H=360",
                                         "T=3,H=1,n=1",
                                         "T=17,H=1280,n=2",
                                         "T=7,H=8,n=3",
                                         "T=4,H=129,n=8",
                                         "T=16,H=360,dtype=f16",
                                         "T=9,H=1000,dtype=f32",
                                         "T=6,H=520,x2=1",
                                         "T=6,H=520,identity=1",
                                         "T=6,H=520,broadcast=1",
                                         "T=8,H=512,data=large",
                                         "T=8,H=512,data=tiny",
                                         "T=65,H=4096",
                                         "T=3,H=7168",
                                         "T=2,H=5120,x2=1,broadcast=1"};

const std::vector<const char *> kPostPre = {"T=5,H=360",
                                            "T=3,H=1,n=1",
                                            "T=17,H=1280,n=2,iters=1",
                                            "T=7,H=8,n=3",
                                            "T=4,H=129,n=8",
                                            "T=16,H=360,dtype=f16",
                                            "T=9,H=1000,dtype=f32",
                                            "T=5,H=360,fn=bf16",
                                            "T=6,H=520,norm=1,x2=1",
                                            "T=6,H=520,collapse=delayed",
                                            "T=6,H=520,collapse=stream0,norm=1",
                                            "T=6,H=520,identity=1",
                                            "T=6,H=520,broadcast=1",
                                            "T=8,H=512,data=zero",
                                            "T=65,H=4096",
                                            "T=3,H=7168",
                                            "T=2,H=5120,norm=1"};

const std::vector<const char *> kHead = {"T=5,H=360",
                                         "T=3,H=1,n=1",
                                         "T=7,H=1280,n=2",
                                         "T=4,H=129,n=8",
                                         "T=9,H=360,dtype=f16",
                                         "T=9,H=1000,dtype=f32",
                                         "T=5,H=360,fn=bf16",
                                         "T=6,H=520,norm=1",
                                         "T=6,H=520,collapse=delayed",
                                         "T=6,H=520,collapse=stream0,norm=1",
                                         "T=33,H=4096",
                                         "T=3,H=7168"};

const std::vector<const char *> kExpand = {"T=5,H=361", "T=3,H=1,n=1", "T=7,H=8,n=3,dtype=f32",
                                           "T=4,H=129,n=8,dtype=f16", "T=33,H=4096"};

const std::vector<const char *> kQuantizeQ = {"T=3,heads=5",
                                              "T=7,heads=32,rope=half,place=first",
                                              "T=5,heads=64,rope=none",
                                              "T=5,heads=64,hadamard=1",
                                              "T=3,heads=3,D=64,rope_dim=32",
                                              "T=4,heads=32,format=e4m3fnuz",
                                              "T=4,heads=32,format=mxfp4",
                                              "T=4,heads=32,format=mxfp4,hadamard=1",
                                              "T=3,heads=7,D=96,rope_dim=2",
                                              "T=130,heads=64"};

const std::vector<const char *> kWriteK = {"T=9,P=1",
                                           "T=70,P=16",
                                           "T=70,P=16,layout=tiled",
                                           "T=100,P=64,hadamard=1,rope=half",
                                           "T=33,P=64,layout=tiled,format=e4m3fnuz",
                                           "T=33,P=32,format=mxfp4",
                                           "T=40,P=7,D=64,rope_dim=32",
                                           "T=300,P=128,rope=none"};

const std::vector<const char *> kGatherK = {"B=3,keys=77,P=16", "B=2,keys=130,P=64,layout=tiled",
                                            "B=3,keys=40,P=1", "B=2,keys=99,P=32,format=mxfp4",
                                            "B=4,keys=500"};

const std::vector<const char *> kConvertK = {
    "rows=3,from=e4m3fnuz", "rows=5,format=e4m3fnuz,from=e4m3fn", "rows=1000,D=64"};

const std::vector<const char *> kConvertCache = {
    "pages=3,P=16", "pages=2,P=16,layout=tiled,format=e4m3fnuz,from=e4m3fn", "pages=5,P=1"};

const std::vector<const char *> kMapSlots = {"rows=3,K=7,P=16", "rows=1,K=1,P=1", "rows=33,K=2048"};

const std::vector<const char *> kLogitsRagged = {"rows=5,keys=77,ranges=random",
                                                 "rows=3,keys=1,heads=1",
                                                 "rows=7,keys=130,heads=3,D=32,ranges=causal",
                                                 "rows=9,keys=333,heads=32,ranges=random,fill=1",
                                                 "rows=6,keys=200,format=e4m3fnuz",
                                                 "rows=6,keys=200,format=mxfp4,ranges=random",
                                                 "rows=6,keys=200,logits=bf16",
                                                 "rows=5,keys=150,heads=17,D=96",
                                                 "rows=40,keys=1000,heads=64,ranges=causal"};

const std::vector<const char *> kLogitsPaged = {
    "B=3,keys=77,N=1,P=16,ranges=random",
    "B=2,keys=130,N=3,P=64,fill=1",
    "B=5,keys=40,N=2,P=1",
    "B=3,keys=200,N=2,P=32,layout=tiled",
    "B=2,keys=150,N=2,P=64,layout=tiled,format=e4m3fnuz",
    "B=3,keys=160,N=2,format=mxfp4",
    "B=4,keys=300,N=1,holes=1",
    "B=2,keys=129,heads=5,D=64",
    "B=3,keys=200,N=2,logits=bf16,ranges=random",
    "B=6,keys=700,N=4,heads=32,P=128",
    "B=280,keys=1000,heads=32,ranges=random"};

const std::vector<const char *> kSelectRagged = {
    "rows=5,keys=77,K=9,ranges=random,order=descending",
    "rows=3,keys=5,K=8,order=index",
    "rows=9,keys=600,K=100,heads=32,ranges=random,order=descending",
    "rows=6,keys=400,K=64,format=mxfp4",
    "rows=6,keys=300,K=50,logits=bf16,order=descending",
    "rows=33,keys=2000,K=512,ranges=causal,order=index"};

const std::vector<const char *> kSelectPaged = {
    "B=3,keys=77,N=1,P=16,K=9,ranges=random,order=descending",
    "B=2,keys=130,N=3,K=200,order=index",
    "B=3,keys=600,N=2,P=32,layout=tiled,K=100,order=descending",
    "B=3,keys=300,N=2,format=mxfp4,K=40",
    "B=4,keys=500,holes=1,K=64,order=index",
    "B=2,keys=300,logits=bf16,K=50,order=descending",
    "B=5,keys=3000,N=2,K=512,ranges=random"};

const std::vector<const char *> kTopk = {
    "rows=5,L=77,K=10,ranges=1,order=index",
    "rows=3,L=1,K=3,order=descending",
    "rows=9,L=3000,K=300,data=relu,order=index",
    "rows=9,L=3000,K=300,data=narrow,order=descending,values=1",
    "rows=6,L=2500,K=700,data=inf,ranges=1,order=descending",
    "rows=6,L=2500,K=700,data=nan,order=index",
    "rows=6,L=2500,K=17,data=equal,order=index",
    "rows=6,L=5000,K=512,data=bf16,slots=1,order=descending",
    "rows=5,L=999,K=100,dtype=f16,order=index",
    "rows=5,L=999,K=100,dtype=bf16,values=1",
    "rows=17,L=4000,K=1,ranges=1",
    "rows=3,L=20000,K=2048,values=1,order=descending",
    "rows=2,L=70000,K=4096,data=bf16,order=index"};

const std::vector<const char *> kTopkMerge = {
    "rows=5,shards=3,candidates=7,K=10,order=index",
    "rows=3,shards=1,candidates=1,K=4,order=descending",
    "rows=6,shards=4,candidates=300,K=300,data=bf16,order=descending",
    "rows=6,shards=4,candidates=300,K=300,data=nan,order=index",
    "rows=9,shards=8,candidates=512,K=512"};

const std::vector<const char *> &shapes(int32_t op) {
  static const std::vector<const char *> none;
  switch (op) {
    case PLAIT_OP_MHC_PRE: return kPre;
    case PLAIT_OP_MHC_POST: return kPost;
    case PLAIT_OP_MHC_POST_PRE: return kPostPre;
    case PLAIT_OP_MHC_HEAD: return kHead;
    case PLAIT_OP_MHC_EXPAND: return kExpand;
    case PLAIT_OP_QUANTIZE_Q: return kQuantizeQ;
    case PLAIT_OP_WRITE_K: return kWriteK;
    case PLAIT_OP_GATHER_K: return kGatherK;
    case PLAIT_OP_CONVERT_K: return kConvertK;
    case PLAIT_OP_CONVERT_CACHE: return kConvertCache;
    case PLAIT_OP_MAP_SLOTS: return kMapSlots;
    case PLAIT_OP_LOGITS_RAGGED: return kLogitsRagged;
    case PLAIT_OP_LOGITS_PAGED: return kLogitsPaged;
    case PLAIT_OP_SELECT_RAGGED: return kSelectRagged;
    case PLAIT_OP_SELECT_PAGED: return kSelectPaged;
    case PLAIT_OP_TOPK: return kTopk;
    case PLAIT_OP_TOPK_MERGE: return kTopkMerge;
    default: return none;
  }
}

}  // namespace

std::vector<std::string> audit_shapes(int32_t op, bool quick) {
  const std::vector<const char *> &all = shapes(op);
  const size_t count = quick && all.size() > 3 ? 3 : all.size();
  return std::vector<std::string>(all.begin(), all.begin() + static_cast<int64_t>(count));
}

}  // namespace plait::cli
